import { createColors } from 'picocolors';
import type { CommandContext } from '../command-record.ts';
import { escapeText } from './text.ts';

/** Erases the screen and the scrollback, and moves to the top left (ECMA-48, ED and CUP; 3 is an extension of xterm). */
const CLEAR = '\u001b[2J\u001b[3J\u001b[H';

/** The local time of day, to the second. */
const timeOf = (date: Date): string => date.toTimeString().slice(0, 8);

/** The header of each check of a watch: clears a terminal, or separates two checks elsewhere. */
export function roundHead(
  { terminal, now }: Pick<CommandContext, 'terminal' | 'now'>,
  paths: readonly string[],
): string {
  const { dim } = createColors(terminal.colour);
  const time = timeOf(now());
  if (!terminal.isScreen) return `--- ${time} ---\n`;
  return `${CLEAR}${dim(`${time}  watching ${paths.map(escapeText).join(' ')}; Ctrl-C to stop`)}\n\n`;
}
