import { findSecrets, needlesOf, type Range } from './find-secrets.ts';

const MARK = '[secret]';

/** The shortest part of a token that is taken for one at the edge of a text whose rest may come later. */
const MIN_EDGE = 8;

/**
 * What must not come back: the tokens that were handed out for one app, in every spelling that a server could echo them in.
 * A server that encrypts a token, or spells it in a way of its own, cannot be seen through; what is kept from the agent is
 * everything a server does by accident, and the usual encodings.
 */
export type Secrets = {
  add(token: string): void;
  /** The same value with every trace taken out of its texts and keys, also of a token that is spread over several texts. */
  strip<T>(value: T): T;
  /** Whether bytes hold a token. */
  leaksIn(bytes: Uint8Array): boolean;
  /** Strips texts that come one after the other and may together hold a token. */
  stream(): (text: string) => string;
};

/** The texts and keys of a value, in the order in which it is written. */
function textsOf(value: unknown, into: string[] = []): string[] {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const item of value) textsOf(item, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      into.push(key);
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

/** A text without some ranges of what begins at `offset`; each leaves a mark where it begins. */
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

/** The length of the longest end of a text with which a token begins, in any of its spellings. */
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

/** The secrets of one app, none at first. */
export function createSecrets(): Secrets {
  const known = new Map<string, readonly string[]>();
  const needles = () => [...known.values()].flat();
  const longest = () => Math.max(0, ...needles().map((needle) => needle.length));
  const find = (text: string): Range[] => (known.size === 0 ? [] : findSecrets(text, known));

  const secrets: Secrets = {
    add(token) {
      if (token !== '' && !known.has(token)) known.set(token, needlesOf(token));
    },
    strip<T>(value: T): T {
      if (known.size === 0) return value;
      const texts = textsOf(value);
      const ranges = find(texts.join(''));
      if (ranges.length === 0) return value;
      let offset = 0;
      const stripped = texts.map((text) => {
        const kept = without(text, offset, ranges);
        offset += text.length;
        return kept;
      });
      let next = 0;
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
        // What may be the beginning of a token is taken out before it can be known: the rest would come too late.
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
