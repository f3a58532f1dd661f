import { allHiddenIn } from './hidden.ts';

/** What separates lines, in the forms of other systems (UAX 14). */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** Fast path for most texts. */
const PRINTABLE = /^[\x20-\x7e\n\t]*$/;

/** Deepest part of a value that is kept, in levels, and longest text, in characters, unless the caller says less. Readers refuse less. */
const MAX_DEPTH = 64;
const MAX_TEXT = 2 * 1024 * 1024;
const TOO_DEEP = '[too deep]';
const CUT = '…';

/**
 * Cleans text of another program for a model: line ends become line feeds, and characters that people cannot see are removed, such as
 * tags, bidi controls, zero-width spaces and control characters. Joiners and variation selectors stay where their script or an emoji
 * needs them.
 */
export function cleanText(text: string): string {
  if (PRINTABLE.test(text)) return text;
  const lines = text.replace(LINE_ENDS, '\n');
  let result = '';
  let last = 0;
  for (const { index, codePoint } of allHiddenIn(lines, { lines: true })) {
    result += lines.slice(last, index);
    last = index + (codePoint > 0xff_ff ? 2 : 1);
  }
  return last === 0 ? lines : result + lines.slice(last);
}

export type CleanOptions = {
  /** Whether the text at a path, such as base64 or a cursor, is left as it is; elements of a list have the step `*`. */
  isOpaque?: (path: readonly string[]) => boolean;
  /** Deepest part that is kept, in levels. */
  maxDepth?: number;
  /** Longest text, in characters. */
  maxText?: number;
};

/** A text that is cut between two characters if it is too long. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max - CUT.length;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return text.slice(0, isHalf ? end - 1 : end) + CUT;
}

function cleanPart(value: unknown, path: readonly string[], options: Required<CleanOptions>): unknown {
  const clean = (text: string): string => cutText(cleanText(text), options.maxText);
  if (typeof value === 'string') return options.isOpaque(path) ? value : clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length >= options.maxDepth) return TOO_DEEP;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanPart(item, [...path, '*'], options));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(
    ([key, part]) => [clean(key), cleanPart(part, [...path, key], options)] as const,
  );
  const isSame = cleaned.every(([key, part], at) => key === entries[at]?.[0] && part === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}

/**
 * Cleans all texts and keys of a JSON value like `cleanText`, and cuts what is too long or nested too deeply. Returns the same value when
 * there is nothing to clean.
 */
export const cleanValue = (value: unknown, options: CleanOptions = {}): unknown =>
  cleanPart(value, [], { isOpaque: () => false, maxDepth: MAX_DEPTH, maxText: MAX_TEXT, ...options });
