/** One change of a text, and the same shape for taking it back. */
export type TextEdit = { offset: number; length: number; content: string };

/** The agent's file is not one that can be changed safely. The message says what to do. */
export class ConfigError extends Error {}

/** The text with one place changed. */
export const applyEdit = (text: string, { offset, length, content }: TextEdit): string =>
  text.slice(0, offset) + content + text.slice(offset + length);

/** What takes a change back. */
export const undoOf = (text: string, { offset, length, content }: TextEdit): TextEdit => ({
  offset,
  length: content.length,
  content: text.slice(offset, offset + length),
});

/** The smallest change that makes one text of another. */
export function editBetween(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return {
    offset: start,
    length: before.length - start - end,
    content: after.slice(start, after.length - end),
  };
}

/** How lines of a text end. */
export const lineEndOf = (text: string): '\r\n' | '\n' => (text.includes('\r\n') ? '\r\n' : '\n');
