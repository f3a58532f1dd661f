/** A part of a text, from the first place to the one behind the last. */
export type Range = { from: number; to: number };

/** Tokens shorter than this are looked for as they are alone: their encodings would be found in anything. */
const MIN_ENCODED = 8;

/**
 * Base64 of a token as it looks within that of a longer text: it depends on where the token begins, modulo three (RFC 4648
 * section 4), and its outermost characters on what stands beside it.
 */
function base64Within(token: Buffer, begin: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(begin), token]).toString('base64');
  return text.slice(begin === 0 ? 0 : begin + 1, Math.floor(((begin + token.length) * 8) / 6));
}

/** The spellings of a token that are looked for; escapes are undone before, so they are not among them. */
export function needlesOf(token: string): string[] {
  if (token.length < MIN_ENCODED) return [token];
  const bytes = Buffer.from(token);
  const base64 = ([0, 1, 2] as const).map((begin) => base64Within(bytes, begin));
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [...new Set([token, ...base64, ...url, hex, hex.toUpperCase(), [...token].reverse().join('')])];
}

/** A text as a reader would understand it, and where each of its characters begins and ends in the text as it is. */
type View = { text: string; from: (index: number) => number; to: (index: number) => number };

/** Percent-encoding, the escapes of JSON, and character references of HTML. */
const ESCAPE = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[/"\\]|&#x[0-9a-f]{1,6};|&#[0-9]{1,7};/gi;
/** What is seen as nothing: white space, soft hyphens, and marks of no width. */
const UNSEEN = /[\s\u00ad\u200b-\u200f\u2060\ufeff]+/g;

function meaningOf(escaped: string): string {
  if (/^\\[/"\\]$/.test(escaped)) return escaped.slice(1);
  const decimal = /^&#(\d+);$/.exec(escaped);
  const code = decimal ? Number(decimal[1]) : Number.parseInt(escaped.replace(/^(%|\\u|&#x)/i, ''), 16);
  return code <= 0xff_ff ? String.fromCharCode(code) : '\ufffd';
}

/** A view in which what a pattern finds is something else; null when it finds nothing. */
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

/** A text as it is, with its escapes undone, undone twice, and each of these without what is not seen. */
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
 * Where a text holds tokens: as they are, in base64, hex or reversed, with characters escaped, and with white space in between.
 * @param known each token with its needles
 * @returns ranges in order, none touching another
 */
export function findSecrets(text: string, known: ReadonlyMap<string, readonly string[]>): Range[] {
  const found: Range[] = [];
  for (const view of viewsOf(text)) {
    for (const needle of [...known.values()].flat()) found.push(...rangesIn(view, needle));
  }
  return merged(found);
}
