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

type Text = { text: string; isKey: boolean };

/** The texts and keys of a value, in order. */
function textsOf(value: unknown, into: Text[] = []): Text[] {
  if (typeof value === 'string') into.push({ text: value, isKey: false });
  else if (Array.isArray(value)) for (const item of value) textsOf(item, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      into.push({ text: key, isKey: true });
      textsOf(item, into);
    }
  }
  return into;
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

  /** Redacts tokens in texts that are searched as one text; returns the same list when there are none. */
  function redact(texts: string[]): string[] {
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
      const all = redact(texts);
      // Without the keys too, which separate the parts of a token that is split over several objects.
      const values = all.filter((_, index) => !found[index]?.isKey);
      const redacted = values.length === all.length ? values : redact(values);
      if (all === texts && redacted === values) return value;
      let [next, nextValue] = [0, 0];
      const stripped = all.map((text, index) => (found[index]?.isKey ? text : (redacted[nextValue++] ?? '')));
      return withTexts(value, () => stripped[next++] ?? '') as T;
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
