import type { Terminal } from '../io/terminal.ts';
import { fitText } from './cells.ts';

/** Goes to the beginning of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

const FRAMES = { unicode: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'], ascii: [...'|/-\\'] };

/** How long a picture of the spinner stands, in milliseconds. */
const FRAME_MS = 100;

/** A span of time as `9:05`; what has begun counts. */
function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Shows on a screen, in place of what the line held before, that the program waits for a person, and for how long still. */
export function waitingLine(terminal: Terminal, nowMs: number, leftMs: number): void {
  if (!terminal.isScreen) return;
  const frames = terminal.unicode ? FRAMES.unicode : FRAMES.ascii;
  const frame = frames[Math.floor(nowMs / FRAME_MS) % frames.length];
  const text = `waiting for your approval, ${clockOf(leftMs)} left`;
  // A line that is full would break, and the first half of it stay.
  terminal.out(`${CLEAR_LINE}${fitText(`${frame} ${text}`, terminal.columns - 1)}`);
}

/** Takes the line away. */
export function clearWaiting(terminal: Terminal): void {
  if (terminal.isScreen) terminal.out(CLEAR_LINE);
}
