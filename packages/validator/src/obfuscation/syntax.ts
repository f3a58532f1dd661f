import { type AnyNode, type Options, Parser, tokTypes } from 'acorn';

/** What acorn's plugins build on, and its types leave out. */
interface ParserInside {
  /** The token that comes next; `end` lies before `start` while it is still being read. */
  readonly type: unknown;
  readonly start: number;
  readonly end: number;
  /** How far the text has been looked at. */
  readonly pos: number;
  readonly input: string;
  strict: boolean;
  readonly labels: { kind: string | null; name: string }[];
  nextToken(): void;
  skipBlockComment(): void;
  readString(quote: number): void;
  finishToken(type: unknown, value: string): void;
  eat(type: unknown): boolean;
  afterTrailingComma(type: unknown, notNext?: boolean): boolean;
  parseStatement(context: null, topLevel: boolean): AnyNode;
  finishNode(node: AnyNode, type: string): AnyNode;
  finishNodeAt(node: AnyNode, type: string, pos: number, loc: unknown): AnyNode;
}

const ParserBase = Parser as unknown as new (options: Options, input: string) => ParserInside;

/** Takes whatever any context allows, since a piece of a script doesn't show what it stands in. */
const OPTIONS: Options = {
  ecmaVersion: 'latest',
  // In a module `<!--` is no comment: read as one, it would hide the rest of its line.
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
  allowReserved: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
};

const CLOSING: ReadonlySet<unknown> = new Set([tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR]);

/** Thrown instead of an error with a message and a trace, which cost more than the parsing. */
const STOP = Symbol('unreadable');

/** Hands on every node when it is whole, children first, and leaves out all that only a program's author cares for. */
class TolerantParser extends ParserBase {
  readonly #visit: (node: AnyNode) => void;

  readonly #lastClose: number;

  constructor(text: string, lastClose: number, visit: (node: AnyNode) => void) {
    super(OPTIONS, text);
    this.#visit = visit;
    this.#lastClose = lastClose;
    this.strict = false;
    // A piece may begin inside a loop.
    this.labels.push({ kind: 'loop', name: '' });
  }

  /** Reads statements to the end of the text, or throws where it cannot go on. */
  readStatements(): void {
    this.nextToken();
    while (this.type !== tokTypes.eof) this.parseStatement(null, true);
  }

  override finishNode(node: AnyNode, type: string): AnyNode {
    const whole = super.finishNode(node, type);
    this.#visit(whole);
    return whole;
  }

  override finishNodeAt(node: AnyNode, type: string, pos: number, loc: unknown): AnyNode {
    const whole = super.finishNodeAt(node, type, pos, loc);
    this.#visit(whole);
    return whole;
  }

  /** Looked for once: with an open comment every few characters the search for its end would take the square of the text. */
  override skipBlockComment(): void {
    if (this.pos + 2 > this.#lastClose) throw STOP;
    super.skipBlockComment();
  }

  /** A text that is cut off ends with the piece … */
  override readString(quote: number): void {
    try {
      super.readString(quote);
    } catch (error) {
      if (this.pos < this.input.length) throw error;
      this.finishToken(tokTypes.string, this.input.slice(this.start + 1));
    }
  }

  /** … and so do the brackets around it: what is called with a long text shall be seen. */
  override eat(type: unknown): boolean {
    return super.eat(type) || (this.type === tokTypes.eof && CLOSING.has(type));
  }

  override afterTrailingComma(type: unknown, notNext?: boolean): boolean {
    return super.afterTrailingComma(type, notNext) || this.type === tokTypes.eof;
  }

  raise(): never {
    throw STOP;
  }

  raiseRecoverable(): void {}
  // Acorn looks for a name declared twice among all of its scope: the square of their number.
  declareName(): void {}
  checkLocalExport(): void {}
  checkPropClash(): void {}
  validateRegExpFlags(): void {}
  validateRegExpPattern(): void {}
}

/** Characters read, over those that are there: what is started again is read twice. */
const MAX_READING = 4;
/** Short texts may be started again as often as longer ones. */
const SHORT = 4_096;
/** What starting again costs, in characters read. */
const START = 32;

/**
 * Calls `visit` with every node of the JavaScript in a text, children first. The text may be cut out of a larger one: what
 * cannot be read, at its ends or between, is stepped over, and reading goes on behind it. So neither a cut, nor syntax
 * that acorn doesn't know, nor nesting too deep for its stack hides what stands around. Never throws; linear in the length.
 */
export function visitSyntax(text: string, visit: (node: AnyNode) => void): void {
  const lastClose = text.lastIndexOf('*/');
  let from = 0;
  let reading = MAX_READING * (text.length + SHORT);
  while (from < text.length && reading > 0) {
    // Cut off rather than begun at a place: acorn counts the lines before it.
    const parser = new TolerantParser(text.slice(from), lastClose - from, visit);
    try {
      parser.readStatements();
      return;
    } catch {
      reading -= parser.pos + START;
      from = behindClosing(text, from + Math.max(whereToGoOn(parser), 1));
    }
  }
}

/** Behind the token that doesn't fit, or one character into the one that has no end. */
function whereToGoOn({ type, start, end, input }: ParserInside): number {
  if (end <= start) return start + 1;
  // A cut inside a string turns texts and what stands between them round: this quote may be the first of the next text.
  if (type === tokTypes.string) return end - 1;
  return start > 1 && QUOTES.has(input[start - 1] ?? '') ? start - 1 : end;
}

const QUOTES: ReadonlySet<string> = new Set(['"', "'"]);

/** No statement begins with any of these. */
const CLOSING_SIGNS = /[\s)\]},;:]*/y;

function behindClosing(text: string, at: number): number {
  CLOSING_SIGNS.lastIndex = at;
  return at + (CLOSING_SIGNS.exec(text)?.[0].length ?? 0);
}
