/** One edit of a text, or its inverse. */
export type TextEdit = { offset: number; length: number; content: string };

/** The agent's file cannot be changed safely. The message says what to do. */
export class ConfigError extends Error {}

export const applyEdit = (text: string, { offset, length, content }: TextEdit): string =>
  text.slice(0, offset) + content + text.slice(offset + length);

/** The inverse of an edit. */
export const undoOf = (text: string, { offset, length, content }: TextEdit): TextEdit => ({
  offset,
  length: content.length,
  content: text.slice(offset, offset + length),
});

/** The smallest edit between two texts. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return {
    offset: start,
    length: before.length - start - end,
    content: after.slice(start, after.length - end),
  };
}

export const lineEndOf = (text: string): '\r\n' | '\n' => (text.includes('\r\n') ? '\r\n' : '\n');
