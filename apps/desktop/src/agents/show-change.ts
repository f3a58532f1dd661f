import type { Preview } from './agents.ts';

/** Lines around a change. */
const AROUND = 3;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** What would go to a terminal as something else than text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * A change as people read it: `-` goes, `+` comes, with a few lines around. Our changes are in one place each.
 * @param secret what shall not be on a screen
 */
export function changeText({ file, before, after }: Preview, secret?: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const lines = [
    ...old.slice(Math.max(0, start - AROUND), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...old.slice(old.length - end, old.length - end + AROUND).map((line) => `  ${line}`),
  ];
  const text = `${file}\n${lines.map((line) => line.replaceAll(CONTROL, '?')).join('\n')}\n`;
  return secret ? text.replaceAll(secret, '…') : text;
}
