/** A range of a text; `to` is exclusive. */
type Range = { from: number; to: number };

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
function needlesOf(token: string): string[] {
  if (token.length < MIN_ENCODED) return [token];
  const bytes = Buffer.from(token);
  const base64 = ([0, 1, 2] as const).map((begin) => base64Within(bytes, begin));
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [token, ...base64, ...url, hex, hex.toUpperCase(), [...token].reverse().join('')];
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
  if (view.text.search(pattern) === -1) return null;
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
 * @param needles the tokens and their encodings
 * @returns sorted, disjoint ranges
 */
function findSecrets(text: string, needles: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const view of viewsOf(text)) {
    for (const needle of needles) found.push(...rangesIn(view, needle));
  }
  return merged(found);
}

const MARK = '[secret]';

/** Minimum length of a partial token at the end of a text that is redacted, as the rest may follow. */
const MIN_EDGE = 8;

/**
 * The tokens of an app, for redacting them in results. Covers plain text and common encodings, which a server might echo by accident. A
 * server that deliberately encrypts or re-encodes a token cannot be detected.
 */
export type Secrets = {
  add(token: string): void;
  /** Redacts tokens in all texts and keys of a value, including a token that is split over several texts. */
  strip<T>(value: T): T;
  /** Whether bytes contain a token. */
  leaksIn(bytes: Uint8Array): boolean;
  /** Redacts consecutive texts that may contain a token together. */
  stream(): (text: string) => string;
};

/** A text with the key that it stands under, `''` for none; a key has null. */
type Text = { text: string; under: string | null };

/** The texts and keys of a value, in order. */
function textsOf(value: unknown, under = '', into: Text[] = []): Text[] {
  if (typeof value === 'string') into.push({ text: value, under });
  else if (Array.isArray(value)) for (const item of value) textsOf(item, under, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      into.push({ text: key, under: null });
      textsOf(item, key, into);
    }
  }
  return into;
}

/**
 * The indexes of texts that are searched as one text: all, and those under the same key, which other keys and values separate, as in the
 * content blocks of a result; and the keys.
 */
function groupsOf(texts: readonly Text[]): number[][] {
  const all = Array.from(texts.keys());
  const byKey = [...Map.groupBy(all, (index) => texts[index]?.under).values()];
  return [all, ...byKey.filter((group) => group.length > 1)];
}

/** A value with its texts and keys replaced, one after the other, in the order of `textsOf`. */
function withTexts(value: unknown, next: () => string): unknown {
  if (typeof value === 'string') return next();
  if (Array.isArray(value)) return value.map((item) => withTexts(item, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.values(value).map((item) => [next(), withTexts(item, next)]));
}

/** Removes ranges from a text that starts at `offset`, leaving a mark at the start of each range. */
function without(text: string, offset: number, ranges: readonly Range[]): string {
  let kept = '';
  let at = offset;
  const end = offset + text.length;
  for (const range of ranges) {
    if (range.to <= at || range.from >= end) continue;
    kept += text.slice(at - offset, Math.max(range.from, at) - offset);
    if (range.from >= offset) kept += MARK;
    at = Math.min(range.to, end);
  }
  return kept + text.slice(at - offset);
}

/** The length of the longest suffix of a text that is a prefix of an encoded token. */
function tokenBeginsIn(text: string, needles: readonly string[]): number {
  let longest = 0;
  for (const needle of needles) {
    for (let length = Math.min(needle.length - 1, text.length); length >= MIN_EDGE; length -= 1) {
      if (text.endsWith(needle.slice(0, length))) {
        longest = Math.max(longest, length);
        break;
      }
    }
  }
  return longest;
}

/** Creates the secrets of an app. */
export function createSecrets(): Secrets {
  const known = new Set<string>();
  const needles: string[] = [];
  // At least one: what a stream keeps must have a length.
  const longest = () => Math.max(1, ...needles.map((needle) => needle.length));
  const find = (text: string): Range[] => (known.size === 0 ? [] : findSecrets(text, needles));

  /** Redacts tokens in texts that are searched as one text. */
  function redact(texts: readonly string[]): readonly string[] {
    const ranges = find(texts.join(''));
    if (ranges.length === 0) return texts;
    let offset = 0;
    return texts.map((text) => {
      const kept = without(text, offset, ranges);
      offset += text.length;
      return kept;
    });
  }

  const secrets: Secrets = {
    add(token) {
      if (token === '' || known.has(token)) return;
      known.add(token);
      needles.push(...needlesOf(token));
    },
    strip<T>(value: T): T {
      if (known.size === 0) return value;
      const found = textsOf(value);
      const texts = found.map(({ text }) => text);
      for (const group of groupsOf(found)) {
        const redacted = redact(group.map((index) => texts[index] ?? ''));
        for (const [n, index] of group.entries()) texts[index] = redacted[n] ?? '';
      }
      if (texts.every((text, index) => text === found[index]?.text)) return value;
      let next = 0;
      return withTexts(value, () => texts[next++] ?? '') as T;
    },
    leaksIn(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return needles.some((needle) => buffer.includes(needle));
    },
    stream() {
      let before = '';
      return (text) => {
        const all = before + text;
        const edge = tokenBeginsIn(all, needles);
        // A possible start of a token is redacted immediately, as its rest would arrive too late.
        const ranges = [...find(all), { from: all.length - edge, to: all.length }];
        const stripped = without(text, before.length, ranges);
        // An escape is up to ten characters for one.
        before = all.slice(-10 * longest());
        return stripped;
      };
    },
  };
  return secrets;
}
