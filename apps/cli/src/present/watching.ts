import { createColors } from 'picocolors';
import type { CommandContext } from '../command-context.ts';
import { escapeText } from './escape.ts';

/** Erases the screen and what scrolled off it, and goes to its top left (ECMA-48, ED and CUP; 3 is an extension of xterm). */
const CLEAR = '\u001b[2J\u001b[3J\u001b[H';

/** The time of day where the user is, to the second. */
const timeOf = (date: Date): string => date.toTimeString().slice(0, 8);

/** What stands above each check of a watch: on a screen that was cleared, elsewhere as a line between two checks. */
export function roundHead(
  { terminal, now }: Pick<CommandContext, 'terminal' | 'now'>,
  paths: readonly string[],
): string {
  const { dim } = createColors(terminal.colour);
  const time = timeOf(now());
  if (!terminal.isScreen) return `--- ${time} ---\n`;
  return `${CLEAR}${dim(`${time}  watching ${paths.map(escapeText).join(' ')}; Ctrl-C ends`)}\n\n`;
}
