/** The traces of obfuscation in a range of bytes: points, and whether it decodes or runs text. */
export type Traces = { points: number; evaluates: boolean; decodes: boolean };

/** Number of points from which a part is parsed. Ordinary script rarely has more than a few points in 4 KiB. */
export const SUSPICIOUS = 30;

const code = (character: string): number => character.charCodeAt(0);
const codes = (words: string): number[][] => words.split(' ').map((word) => [...word].map(code));

const EVALUATORS = codes('eval eval) Function execScript');
const CONSTRUCTORS = codes(`.constructor constructor"] constructor']`);
const DECODERS = codes('atob unescape fromCharCode fromCodePoint decodeURIComponent decodeURI');
/** `.default` is not valid in ES3, so compilers write `['default']`. */
const [DEFAULT = []] = codes('default');
/** `Function('return this')` is how bundlers get the global object. */
const GLOBAL = [...'return this'].map(code);
const MAX_WORD = 32;
const QUOTED = codes('eval Function atob unescape fromCharCode constructor');

/** The last two bytes of those words as a number, to skip nearly every other call quickly. */
const LAST_TWO = new Uint8Array(65_536);
for (const word of [...EVALUATORS, ...CONSTRUCTORS, ...DECODERS])
  LAST_TWO[pairAt(Uint8Array.from(word), word.length - 2)] = 1;

/** Returns the points of a trace at a byte; a trace that is rarer in ordinary script has more points. */
type Weigher = (bytes: Uint8Array, at: number, traces: Traces) => number;

/** The few characters at which a trace is detected. */
const WEIGHERS: Readonly<Record<string, Weigher>> = {
  x: (bytes, at) => (bytes[at - 1] === 0x30 ? hexPoints(bytes, at) : 0),
  '\\': escapePoints,
  '[': bracketPoints,
  '+': (bytes, at) => (joinsQuotes(bytes, at) ? 4 : 0),
  '(': (bytes, at, traces) => (LAST_TWO[pairAt(bytes, at - 2)] === 1 ? callPoints(bytes, at, traces) : 0),
  $: (bytes, at) => (bytes[at - 1] === 0x5f || (bytes[at + 1] === 0x5f && bytes[at + 2] === 0x5f) ? 3 : 0),
  // A character reference in XML.
  '&': (bytes, at) => (bytes[at + 1] === 0x23 ? 3 : 0),
  I: (bytes, at) => (isLookAlike(bytes, at) ? 3 : 0),
  O: (bytes, at) => (isLookAlike(bytes, at) ? 3 : 0),
  // U+FF9F in UTF-8, part of an emoticon.
  '\xef': (bytes, at) => (bytes[at + 1] === 0xbe && bytes[at + 2] === 0x9f ? 3 : 0),
};
const WEIGHER_OF: readonly (Weigher | undefined)[] = Array.from(
  { length: 256 },
  (_, byte) => WEIGHERS[String.fromCharCode(byte)],
);

/** The characters that must precede the more common of these characters for a trace. */
const BEFORE: Readonly<Record<string, string>> = {
  x: '0',
  '+': ` '"`,
  '(': [...EVALUATORS, ...CONSTRUCTORS, ...DECODERS]
    .map((word) => String.fromCharCode(word.at(-1) ?? 0))
    .join(''),
  I: 'Il1',
  O: 'O0Q',
};

/** 1 for each pair of bytes at whose second byte a trace can be detected. Nearly all other pairs are skipped at once. */
const TRIGGERS = new Uint8Array(65_536);
for (const character of Object.keys(WEIGHERS)) {
  const before = BEFORE[character];
  for (let first = 0; first < 256; first += 1) {
    if (before?.includes(String.fromCharCode(first)) === false) continue;
    TRIGGERS[(first << 8) | code(character)] = 1;
  }
}

/** Finds traces from `from` up to, but not including, `to`. Compares bytes without parsing, with many false positives. */
export function tracesIn(bytes: Uint8Array, from: number, to: number): Traces {
  const traces = { points: 0, evaluates: false, decodes: false };
  for (let at = nextTrigger(bytes, from, to); at < to; at = nextTrigger(bytes, at + 1, to)) {
    traces.points += WEIGHER_OF[bytes[at] as number]?.(bytes, at, traces) ?? 0;
  }
  return traces;
}

/** The first position from `from` on at which a trace can be detected, or `to`. A separate, hot function. */
function nextTrigger(bytes: Uint8Array, from: number, to: number): number {
  let pair = from > 0 ? (bytes[from - 1] as number) : 0;
  for (let at = from; at < to; at += 1) {
    pair = ((pair << 8) | (bytes[at] as number)) & 0xffff;
    if (TRIGGERS[pair] === 1) return at;
  }
  return to;
}

/** `eval` alone is suspicious; a decoder only if a string follows, or if a call nearby evaluates text. */
function callPoints(bytes: Uint8Array, end: number, traces: Traces): number {
  const isCalled = (word: readonly number[]) =>
    hasAt(bytes, end - word.length, word) &&
    (word[0] === 0x2e || !isNameByte(bytes[end - word.length - 1] as number));
  if (EVALUATORS.some(isCalled)) return hasAt(bytes, end + 2, GLOBAL) ? 0 : SUSPICIOUS;
  if (CONSTRUCTORS.some(isCalled)) traces.evaluates = true;
  if (!DECODERS.some(isCalled)) return 0;
  traces.decodes = true;
  return isQuote(bytes[end + 1] as number) ? SUSPICIOUS : 0;
}

/** `a['b']`, `['b']: 1`, `![]`; or a string in brackets that names an evaluator or a decoder. */
function bracketPoints(bytes: Uint8Array, at: number, traces: Traces): number {
  const before = bytes[at - 1] as number;
  const after = bytes[at + 1] as number;
  if (after === 0x5d) return before === 0x21 || before === 0x2b ? 15 : 0;
  if (!isQuote(after)) return 0;
  if (!isAfterValue(before)) return isComputedKey(bytes, at + 2, after) ? 4 : 0;
  const points = memberPoints(bytes, at + 2, after);
  if (points > 0 && QUOTED.some((word) => hasAt(bytes, at + 2, word))) {
    traces.evaluates = traces.decodes = true;
  }
  return points;
}

function pairAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** `_0x1a2b` as a name, `0x1` instead of one digit, `(0x1a2)` as an index. */
function hexPoints(bytes: Uint8Array, at: number): number {
  const before = bytes[at - 2] as number;
  if (before === 0x5f) return 10;
  let end = at + 1;
  while (end < at + 5 && isHexDigit(bytes[end] as number)) end += 1;
  const after = bytes[end] as number;
  const isIndex =
    (before === 0x28 || before === 0x2d || isQuote(before)) &&
    (after === 0x29 || after === 0x2c || isQuote(after));
  return (isIndex ? 10 : 0) + (end === at + 2 ? 5 : 0);
}

/** Escapes such as `\x41` and `\u0041` for characters from space to DEL, with more points for a space. */
function escapePoints(bytes: Uint8Array, at: number): number {
  let digit = at + 2;
  if (bytes[at + 1] === 0x75 && bytes[at + 2] === 0x30 && bytes[at + 3] === 0x30) digit = at + 4;
  else if (bytes[at + 1] !== 0x78) return 0;
  const first = bytes[digit] as number;
  if (first === 0x32 && bytes[digit + 1] === 0x30) return 8;
  return first >= 0x32 && first <= 0x37 ? 3 : 0;
}

/** `'+'` or `' + '` between two strings. */
function joinsQuotes(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1] === 0x20 ? bytes[at - 2] : bytes[at - 1];
  const after = bytes[at + 1] === 0x20 ? bytes[at + 2] : bytes[at + 1];
  return isQuote(before as number) && before === after;
}

export const isQuote = (byte: number): boolean => byte === 0x22 || byte === 0x27;
export const isNameByte = (byte: number): boolean =>
  (byte > 0x2f && byte < 0x3a) ||
  (byte > 0x40 && byte < 0x5b) ||
  (byte > 0x60 && byte < 0x7b) ||
  byte === 0x5f ||
  byte === 0x24;
const isHexDigit = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);

/** Whether a bracket after this byte accesses a member, and does not start an array. */
const isAfterValue = (byte: number): boolean => byte === 0x29 || byte === 0x5d || isNameByte(byte);

/** Points for `['word']`, and more for `['wo' + 'rd']`. */
function memberPoints(bytes: Uint8Array, start: number, quote: number): number {
  const end = quotedEnd(bytes, start, quote);
  if (end === 0) return 0;
  const next = skipSpace(bytes, end);
  if (bytes[next] === 0x2b) return bytes[skipSpace(bytes, next + 1)] === quote ? 8 : 0;
  if (bytes[end] !== 0x5d || hasAt(bytes, start, DEFAULT)) return 0;
  // `E['A'] = 0` is how TypeScript compiles enums.
  const equals = skipSpace(bytes, end + 1);
  return bytes[equals] === 0x3d && isDigit(bytes[skipSpace(bytes, equals + 1)] as number) ? 0 : 4;
}

const skipSpace = (bytes: Uint8Array, at: number): number => (bytes[at] === 0x20 ? at + 1 : at);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** The position after the closing quote of a word that starts here; 0 if this is not a word. */
function quotedEnd(bytes: Uint8Array, start: number, quote: number): number {
  let end = start;
  while (end < start + MAX_WORD && isNameByte(bytes[end] as number)) end += 1;
  return bytes[end] === quote ? end + 1 : 0;
}

/** `['word']:` in an object. */
function isComputedKey(bytes: Uint8Array, start: number, quote: number): boolean {
  const end = quotedEnd(bytes, start, quote);
  return end > 0 && bytes[end] === 0x5d && bytes[end + 1] === 0x3a;
}

/** Whether a letter is between characters that look like it: `lIl`, `O0O`. */
function isLookAlike(bytes: Uint8Array, at: number): boolean {
  const isAlike = (byte: number | undefined): boolean =>
    bytes[at] === 0x49
      ? byte === 0x49 || byte === 0x6c || byte === 0x31
      : byte === 0x4f || byte === 0x30 || byte === 0x51;
  return isAlike(bytes[at - 1]) && isAlike(bytes[at + 1]);
}

/** Whether these bytes are at this position. */
export function hasAt(bytes: Uint8Array, at: number, word: readonly number[]): boolean {
  for (let index = word.length - 1; index >= 0; index -= 1) {
    if (bytes[at + index] !== word[index]) return false;
  }
  return true;
}
