import type { Preview } from './agents.ts';

/** Lines around a change. */
const AROUND = 3;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Control characters that a terminal would interpret. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Formats a change as a diff with context lines. Each change is in one place.
 * @param secret text to mask
 */
export function changeText({ file, before, after }: Preview, secret?: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const lines = [
    ...old.slice(Math.max(0, start - AROUND), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...old.slice(old.length - end, old.length - end + AROUND).map((line) => `  ${line}`),
  ];
  const text = `${file}\n${lines.map((line) => line.replaceAll(CONTROL, '?')).join('\n')}\n`;
  return secret ? text.replaceAll(secret, '…') : text;
}
