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
  /** Whether the text at a path, such as base64 or a cursor, is left as it is: keys with dots between them, `*` for the elements of a list. */
  isOpaque?: (path: string) => boolean;
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

/** A key as a step of a path: one with a dot, or a `*`, must not lead to the path of another part. */
const stepOf = (key: string): string => (key === '*' || key.includes('.') ? '?' : key);

/** What cleans the parts of one value. Each call of a tool comes here: nothing is copied where nothing is to clean. */
function cleanerOf({ isOpaque, maxDepth, maxText }: Required<CleanOptions>) {
  const clean = (text: string): string => cutText(cleanText(text), maxText);

  function cleanList(items: readonly unknown[], path: string, depth: number): unknown {
    const cleaned = items.map((item) => cleanPart(item, path, depth));
    return items.every((item, index) => item === cleaned[index]) ? items : cleaned;
  }

  function cleanFields(value: object, path: string, depth: number): unknown {
    const cleaned: [string, unknown][] = [];
    let isSame = true;
    for (const [key, part] of Object.entries(value)) {
      const entry: [string, unknown] = [clean(key), cleanPart(part, path + stepOf(key), depth)];
      isSame &&= entry[0] === key && entry[1] === part;
      cleaned.push(entry);
    }
    return isSame ? value : Object.fromEntries(cleaned);
  }

  function cleanPart(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') return isOpaque(path) ? value : clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= maxDepth) return TOO_DEEP;
    const within = path === '' ? '' : `${path}.`;
    return Array.isArray(value)
      ? cleanList(value, `${within}*`, depth + 1)
      : cleanFields(value, within, depth + 1);
  }
  return cleanPart;
}

/**
 * Cleans all texts and keys of a JSON value like `cleanText`, and cuts what is too long or nested too deeply. Returns the same value when
 * there is nothing to clean.
 */
export const cleanValue = (value: unknown, options: CleanOptions = {}): unknown =>
  cleanerOf({ isOpaque: () => false, maxDepth: MAX_DEPTH, maxText: MAX_TEXT, ...options })(value, '', 0);
