/** A range of a text; `to` is exclusive. */
export type Range = { from: number; to: number };

/** Shorter tokens are searched only in plain text: their encodings would match by chance. */
const MIN_ENCODED = 8;

/**
 * The base64 characters of a token inside a longer encoded text. They depend on the offset of the token modulo three (RFC 4648
 * section 4); the outermost characters depend on the neighbouring bytes and are left out.
 */
function base64Within(token: Buffer, begin: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(begin), token]).toString('base64');
  return text.slice(begin === 0 ? 0 : begin + 1, Math.floor(((begin + token.length) * 8) / 6));
}

/** The encodings of a token to search for. Escapes are decoded before the search. */
export function needlesOf(token: string): string[] {
  if (token.length < MIN_ENCODED) return [token];
  const bytes = Buffer.from(token);
  const base64 = ([0, 1, 2] as const).map((begin) => base64Within(bytes, begin));
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [...new Set([token, ...base64, ...url, hex, hex.toUpperCase(), [...token].reverse().join('')])];
}

/** A decoded text, with the position of each character in the original. */
type View = { text: string; from: (index: number) => number; to: (index: number) => number };

/** Percent-encoding, the escapes of JSON, and character references of HTML. */
const ESCAPE = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[/"\\]|&#x[0-9a-f]{1,6};|&#[0-9]{1,7};/gi;
/** Invisible characters: white space, soft hyphens and zero-width characters. */
const UNSEEN = /[\s\u00ad\u200b-\u200f\u2060\ufeff]+/g;

function meaningOf(escaped: string): string {
  if (/^\\[/"\\]$/.test(escaped)) return escaped.slice(1);
  const decimal = /^&#(\d+);$/.exec(escaped);
  const code = decimal ? Number(decimal[1]) : Number.parseInt(escaped.replace(/^(%|\\u|&#x)/i, ''), 16);
  return code <= 0xff_ff ? String.fromCharCode(code) : '\ufffd';
}

/** Replaces the matches of a pattern in a view; null when there are none. */
function rewritten(view: View, pattern: RegExp, meaning: (found: string) => string): View | null {
  const from: number[] = [];
  const to: number[] = [];
  let text = '';
  let last = 0;
  const keep = (until: number) => {
    for (let index = last; index < until; index += 1) {
      from.push(view.from(index));
      to.push(view.to(index));
    }
    text += view.text.slice(last, until);
  };
  for (const { 0: found, index } of view.text.matchAll(pattern)) {
    keep(index);
    const meant = meaning(found);
    for (let unit = 0; unit < meant.length; unit += 1) {
      from.push(view.from(index));
      to.push(view.to(index + found.length - 1));
    }
    text += meant;
    last = index + found.length;
  }
  if (last === 0) return null;
  keep(view.text.length);
  return { text, from: (index) => from[index] ?? 0, to: (index) => to[index] ?? 0 };
}

/** The text, decoded once, decoded twice, and each of these without invisible characters. */
function viewsOf(text: string): View[] {
  const plain: View = { text, from: (index) => index, to: (index) => index + 1 };
  const once = rewritten(plain, ESCAPE, meaningOf);
  const twice = once && rewritten(once, ESCAPE, meaningOf);
  const views = [plain, once, twice].filter((view) => view !== null);
  return [
    ...views,
    ...views.map((view) => rewritten(view, UNSEEN, () => '')).filter((view) => view !== null),
  ];
}

function* rangesIn(view: View, needle: string): Generator<Range> {
  for (let index = view.text.indexOf(needle); index !== -1; ) {
    yield { from: view.from(index), to: view.to(index + needle.length - 1) };
    index = view.text.indexOf(needle, index + needle.length);
  }
}

function merged(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else result.push({ ...range });
  }
  return result;
}

/**
 * Finds tokens in a text: plain, in base64, hex or reversed, with escaped characters, and with white space in between.
 * @param known each token with its encodings
 * @returns sorted, disjoint ranges
 */
export function findSecrets(text: string, known: ReadonlyMap<string, readonly string[]>): Range[] {
  const found: Range[] = [];
  for (const view of viewsOf(text)) {
    for (const needle of [...known.values()].flat()) found.push(...rangesIn(view, needle));
  }
  return merged(found);
}
