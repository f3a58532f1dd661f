import type { Terminal } from '../io/terminal.ts';
import { fitText } from './cells.ts';

/** Moves to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

const FRAMES = { unicode: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'], ascii: [...'|/-\\'] };

/** Duration of a spinner frame, in milliseconds. */
const FRAME_MS = 100;

/** A duration as `9:05`, rounded up to seconds. */
function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Shows on a terminal that the program waits for approval, and the remaining time. Replaces the current line. */
export function waitingLine(terminal: Terminal, nowMs: number, remainingMs: number): void {
  if (!terminal.isScreen) return;
  const frames = terminal.unicode ? FRAMES.unicode : FRAMES.ascii;
  const frame = frames[Math.floor(nowMs / FRAME_MS) % frames.length];
  const text = `waiting for approval, ${clockOf(remainingMs)} left`;
  // A full line would wrap, and its first part would remain on the screen.
  terminal.out(`${CLEAR_LINE}${fitText(`${frame} ${text}`, terminal.columns - 1)}`);
}

/** Erases the line. */
export function clearWaiting(terminal: Terminal): void {
  if (terminal.isScreen) terminal.out(CLEAR_LINE);
}
