import { findSecrets, needlesOf, type Range } from './find-secrets.ts';

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
 * content blocks of a result.
 */
function groupsOf(texts: readonly Text[]): number[][] {
  const all = Array.from(texts.keys());
  const values = all.filter((index) => texts[index]?.under !== null);
  const byKey = [...Map.groupBy(values, (index) => texts[index]?.under).values()];
  return [all, ...byKey.filter((group) => group.length > 1 && group.length < all.length)];
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
  const known = new Map<string, readonly string[]>();
  const needles = () => [...known.values()].flat();
  const longest = () => Math.max(0, ...needles().map((needle) => needle.length));
  const find = (text: string): Range[] => (known.size === 0 ? [] : findSecrets(text, known));

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
      if (token !== '' && !known.has(token)) known.set(token, needlesOf(token));
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
      return needles().some((needle) => buffer.includes(needle));
    },
    stream() {
      let before = '';
      return (text) => {
        const all = before + text;
        const edge = tokenBeginsIn(all, needles());
        // A possible start of a token is redacted immediately, as its rest would arrive too late.
        const ranges = edge === 0 ? find(all) : [...find(all), { from: all.length - edge, to: all.length }];
        const stripped = without(text, before.length, ranges);
        // An escape is up to ten characters for one.
        before = all.slice(-10 * longest());
        return stripped;
      };
    },
  };
  return secrets;
}
