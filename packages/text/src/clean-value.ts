import { allHiddenIn } from './hidden.ts';

/** What separates lines, in the forms of other systems (UAX 14). */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** Fast path for most texts. */
const PRINTABLE = /^[\x20-\x7e\n\t]*$/;

/** Deepest part of a value that is kept, in levels. */
const MAX_DEPTH = 64;
const TOO_DEEP = '[too deep]';

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

/** Whether a text is left as it is. */
type IsOpaque = (path: readonly string[]) => boolean;

function cleanPart(value: unknown, path: readonly string[], isOpaque: IsOpaque): unknown {
  if (typeof value === 'string') return isOpaque(path) ? value : cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanPart(item, [...path, '*'], isOpaque));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const cleaned = entries.map(
    ([key, part]) => [cleanText(key), cleanPart(part, [...path, key], isOpaque)] as const,
  );
  const isSame = cleaned.every(([key, part], at) => key === entries[at]?.[0] && part === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}

/**
 * Cleans all texts and keys of a JSON value like `cleanText`, and cuts what is nested too deeply. Returns the same value when there is
 * nothing to clean.
 * @param isOpaque whether the text at a path, such as base64 or a cursor, is left as it is; elements of a list have the step `*`
 */
export const cleanValue = (value: unknown, isOpaque: IsOpaque = () => false): unknown =>
  cleanPart(value, [], isOpaque);
