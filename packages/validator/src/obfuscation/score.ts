import { type AnyNode, type Options, Parser, tokTypes } from 'acorn';
import { defineFeature, type Feature } from './feature.ts';
import { evaluationFeatures } from './features/evaluation.ts';
import { machineryFeatures } from './features/machinery.ts';
import { memberFeatures } from './features/members.ts';
import { valueFeatures } from './features/values.ts';

/** The internals of acorn that plugins use, and that its types omit. */
interface ParserInside {
  /** The next token; `end` is before `start` while the token is still being read. */
  readonly type: unknown;
  readonly start: number;
  readonly end: number;
  /** The position up to which the text has been read. */
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

/** Accepts the syntax of every context, since the context of a piece of a script is unknown. */
const OPTIONS: Options = {
  ecmaVersion: 'latest',
  // In a module `<!--` is not a comment; as a comment it would hide the rest of its line.
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

/** Thrown instead of an error: creating a message and a stack trace costs more than parsing. */
const STOP = Symbol('unreadable');

/** Passes every complete node to `visit`, children first, and skips the checks that only matter to the author of a script. */
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

  /** Reads statements up to the end of the text; throws where it cannot continue. */
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

  /** Fails at once when no comment ends after this position: with many open comments, searching would take quadratic time. */
  override skipBlockComment(): void {
    if (this.pos + 2 > this.#lastClose) throw STOP;
    super.skipBlockComment();
  }

  /** An unterminated string ends at the end of the piece … */
  override readString(quote: number): void {
    try {
      super.readString(quote);
    } catch (error) {
      if (this.pos < this.input.length) throw error;
      this.finishToken(tokTypes.string, this.input.slice(this.start + 1));
    }
  }

  /** … and so do the brackets around it, so that a call with a long text is still visited. */
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
  // Acorn searches all names of a scope for each declaration, which takes quadratic time.
  declareName(): void {}
  checkLocalExport(): void {}
  checkPropClash(): void {}
  validateRegExpFlags(): void {}
  validateRegExpPattern(): void {}
}

/** Maximum ratio of characters read to characters in the text: after a restart, characters are read again. */
const MAX_READING = 4;
/** Added to the length of the text, so that short texts also allow restarts. */
const SHORT = 4_096;
/** Cost of a restart, in characters read. */
const START = 32;

/**
 * Calls `visit` with every node of the JavaScript in a text, children first. The text may be a piece of a larger one: parts
 * that cannot be parsed, at its ends or inside, are skipped, and parsing continues after them. So neither a cut, nor syntax
 * that acorn does not support, nor nesting too deep for its stack hides the code around it. Never throws; takes linear time.
 */
export function visitSyntax(text: string, visit: (node: AnyNode) => void): void {
  const lastClose = text.lastIndexOf('*/');
  let from = 0;
  let reading = MAX_READING * (text.length + SHORT);
  while (from < text.length && reading > 0) {
    // The text is sliced, instead of passing a start position, for which acorn would count all lines before it.
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

/** The position after the unexpected token, or one character after the start of an unterminated token. */
function whereToGoOn({ type, start, end, input }: ParserInside): number {
  if (end <= start) return start + 1;
  // After a cut inside a string, strings and the code between them are swapped: this quote may start the next string.
  if (type === tokTypes.string) return end - 1;
  return start > 1 && QUOTES.has(input[start - 1] ?? '') ? start - 1 : end;
}

const QUOTES: ReadonlySet<string> = new Set(['"', "'"]);

/** Characters that cannot start a statement. */
const CLOSING_SIGNS = /[\s)\]},;:]*/y;

function behindClosing(text: string, at: number): number {
  CLOSING_SIGNS.lastIndex = at;
  return at + (CLOSING_SIGNS.exec(text)?.[0].length ?? 0);
}

/** `_0x` and a hash, with an optional prefix; names of `I` and `l`, or of `O` and `0`, which look alike. */
const MADE_UP = /^(?:[a-zA-Z]+\d*)?_0x[0-9a-f]{2,}$|^(?=.*[1l])(?=.*[I1])[Il1]{5,}$|^(?=.*O)[O0Q]{5,}$/;

/** Only `$` and `_`, three or more; letters of emoticons; characters without width. */
const SIGNS = /^[$_]{3,}$|\uff9f|[\u200c\u200d]/;

/** Random lowercase and capital letters and digits, of similar length. */
const THROWN = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{5,9}$/;

/** How names look. A minifier uses the shortest possible names; these are long and easy to confuse. */
const nameFeatures = [
  defineFeature('made-up names', ['Identifier'], {
    count: ({ name }) => MADE_UP.test(name),
    share: 0.02,
    enough: 10,
    weight: 100,
    says: (_hits, percent) => `${percent} % of the names look like \`_0x1a2b\` or \`Il1lI\``,
  }),
  defineFeature('names of signs', ['Identifier'], {
    count: ({ name }) => SIGNS.test(name),
    share: 0.2,
    enough: 20,
    weight: 100,
    says: (_hits, percent) => `${percent} % of the names consist of symbols, like \`$_$_\``,
  }),
  defineFeature('thrown-together names', ['Identifier'], {
    count: ({ name }) => THROWN.test(name),
    share: 0.15,
    enough: 20,
    weight: 25,
    says: (_hits, percent) =>
      `${percent} % of the names are letters and digits thrown together, like \`gU4BIw\``,
  }),
];

/** All features that are counted. */
export const FEATURES: readonly Feature[] = [
  ...nameFeatures,
  ...memberFeatures,
  ...valueFeatures,
  ...machineryFeatures,
  ...evaluationFeatures,
];

/** A script with this score or more counts as obfuscated; docs/project/obfuscation.md has the measurements behind it. */
export const FLAGGED = 50;

/** The points that one feature adds to a score. */
export type Evidence = { readonly feature: string; readonly points: number; readonly says: string };

export type Score = {
  /** The sum of all evidence; a script is reported from `FLAGGED` points on. */
  readonly points: number;
  /** The strongest first. */
  readonly evidence: readonly Evidence[];
};

type Tally = { readonly feature: Feature; hits: number; chances: number };

/** Counts every feature in the syntax tree of a text and adds up the points. The text may be a piece of a script. */
export function scoreOf(text: string): Score {
  const tallies = FEATURES.map((feature): Tally => ({ feature, hits: 0, chances: 0 }));
  const talliesOf = new Map<string, Tally[]>();
  for (const tally of tallies) {
    for (const type of tally.feature.nodes) talliesOf.set(type, [...(talliesOf.get(type) ?? []), tally]);
  }
  visitSyntax(text, (node: AnyNode) => {
    for (const tally of talliesOf.get(node.type) ?? []) {
      tally.hits += Number(tally.feature.count(node));
      tally.chances += tally.feature.chances?.(node) ?? 1;
    }
  });
  const evidence = tallies.flatMap(evidenceOf).sort((a, b) => b.points - a.points);
  return { points: evidence.reduce((sum, { points }) => sum + points, 0), evidence };
}

function evidenceOf({ feature, hits, chances }: Tally): Evidence[] {
  const share = hits / Math.max(chances, 1);
  if (hits <= 0 || share < (feature.share ?? 0)) return [];
  const points = Math.round(feature.weight * Math.min(1, hits / feature.enough));
  return [
    { feature: feature.name, points, says: feature.says(hits, Math.min(100, Math.round(100 * share))) },
  ];
}
