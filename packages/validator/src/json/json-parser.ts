import { show } from '../text.ts';

/** Why a text is not valid JSON, and at which UTF-16 code unit. Caught by `readJson`. */
export class JsonError extends Error {
  readonly offset: number;
  readonly problem: string;

  constructor(offset: number, problem: string) {
    super(problem);
    this.offset = offset;
    this.problem = problem;
  }
}

/** Space, tab, line feed, carriage return; no other character is allowed between values. */
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Characters that a string may contain unescaped. `code` is NaN at the end of the text. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== QUOTE && code !== BACKSLASH;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const FOUR_HEX = /[0-9a-fA-F]{4}/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

/** Marks a value that is not on the path to the searched one. */
const OFF_THE_WAY = -1;

/** A recursive-descent parser for one text; `maxDepth` bounds the recursion. Single use. */
export class JsonParser {
  /** The value nearest to the one at `steps`: its start, its end, and the number of matching steps. */
  nearest = { start: 0, end: 0, matched: 0 };

  readonly #text: string;
  readonly #maxDepth: number;
  readonly #steps: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string, maxDepth: number, steps: readonly string[] = []) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#steps = steps;
  }

  /** Parses the value of the text; throws a `JsonError` when there is none, or when text follows it. */
  document(): unknown {
    const value = this.#value(0);
    if (this.#at < this.#text.length) {
      throw this.#fault(`unexpected ${this.#here()} after the end of the document`);
    }
    return value;
  }

  /** `matched`: how many steps lead to this value, or `OFF_THE_WAY`. */
  #value(matched: number): unknown {
    this.#skipSpace();
    const start = this.#at;
    if (matched >= this.nearest.matched) this.nearest = { start, end: start, matched };
    const value = this.#anyValue(matched);
    if (matched === this.nearest.matched && start === this.nearest.start) this.nearest.end = this.#at;
    this.#skipSpace();
    return value;
  }

  #anyValue(matched: number): unknown {
    const first = this.#text[this.#at];
    if (first === '{') return this.#nested(() => this.#object(matched));
    if (first === '[') return this.#nested(() => this.#array(matched));
    if (first === '"') return this.#string();
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > this.#maxDepth)
      throw this.#fault(`the nesting is deeper than ${this.#maxDepth} levels`);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(matched: number): object {
    const object = {};
    this.#skipSpace();
    if (this.#take('}')) return object;
    do {
      this.#skipSpace();
      const start = this.#at;
      if (this.#text[start] !== '"')
        throw this.#fault(`expected a key in double quotes, not ${this.#here()}`);
      const key = this.#string();
      if (Object.hasOwn(object, key)) throw new JsonError(start, `the key ${show(key)} is a duplicate`);
      this.#skipSpace();
      if (!this.#take(':')) throw this.#fault(`":" is due after a key, not ${this.#here()}`);
      const value = this.#value(this.#follow(matched, key));
      // A plain assignment would set the prototype for the key `__proto__`.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#fault(`expected "," or "}", not ${this.#here()}`);
    return object;
  }

  #array(matched: number): unknown[] {
    const array: unknown[] = [];
    this.#skipSpace();
    if (this.#take(']')) return array;
    do {
      array.push(this.#value(this.#follow(matched, String(array.length))));
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#fault(`expected "," or "]", not ${this.#here()}`);
    return array;
  }

  #follow(matched: number, step: string): number {
    return matched !== OFF_THE_WAY && this.#steps[matched] === step ? matched + 1 : OFF_THE_WAY;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    let text = this.#plainCharacters();
    while (!this.#take('"')) {
      if (!this.#take('\\')) throw this.#fault(`expected the closing quote of a string, not ${this.#here()}`);
      text += this.#escape() + this.#plainCharacters();
    }
    if (!text.isWellFormed()) throw new JsonError(start, 'this string contains a lone surrogate');
    return text;
  }

  #escape(): string {
    if (this.#take('u')) {
      const hex = this.#skip(FOUR_HEX);
      if (hex === '') throw this.#fault(`expected four hexadecimal digits after \\u, not ${this.#here()}`);
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = ESCAPES.get(this.#text.charAt(this.#at));
    if (character === undefined)
      throw this.#fault(`unknown escape sequence: ${this.#here()} after a backslash`);
    this.#at += 1;
    return character;
  }

  #number(): number {
    const start = this.#at;
    const digits = this.#skip(NUMBER);
    if (digits === '') throw this.#fault(`expected a value, not ${this.#here()}`);
    const value = Number(digits);
    if (!Number.isFinite(value)) throw new JsonError(start, 'this number is too large');
    return value;
  }

  #skipSpace(): void {
    while (SPACE.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  /** A loop instead of a regular expression, which would keep backtracking state for every character of possible megabytes. */
  #plainCharacters(): string {
    const start = this.#at;
    for (let code = this.#text.charCodeAt(start); isPlain(code); code = this.#text.charCodeAt(this.#at)) {
      this.#at += 1;
    }
    return this.#text.slice(start, this.#at);
  }

  /** Consumes and returns what a sticky pattern matches here. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [match = ''] = pattern.exec(this.#text) ?? [];
    this.#at += match.length;
    return match;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? 'the end of the file' : show(String.fromCodePoint(code));
  }

  /** The problem at the current place. Comments and trailing commas, which JSON with comments (JSONC) allows, are called by their names. */
  #fault(problem: string): JsonError {
    if (['//', '/*'].includes(this.#text.slice(this.#at, this.#at + 2)))
      return new JsonError(this.#at, 'JSON has no comments: remove this one');
    const isEnd = ['}', ']'].includes(this.#text.charAt(this.#at));
    if (isEnd && this.#text.slice(0, this.#at).trimEnd().endsWith(','))
      return new JsonError(this.#at, `${problem}: remove the comma before it, JSON has no trailing commas`);
    return new JsonError(this.#at, problem);
  }
}
