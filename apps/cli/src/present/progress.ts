import { sizeText } from '@svc/text/quantity';
import type { Terminal } from '../io/terminal.ts';
import { fitText } from './cells.ts';

/** Moves to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

/** Minimum size in bytes for a progress line: smaller transfers end too quickly. */
const MIN_BYTES = 256 * 1024;

/** A progress line. */
export type Progress = { at(bytes: number): void; done(): void };

const NO_PROGRESS: Progress = { at: () => undefined, done: () => undefined };

/**
 * Shows the progress of a transfer on a terminal: `uploading 1.2 MiB of 3.4 MiB, 35 %`. The line is erased at the end.
 * @param total total bytes
 */
export function transferProgress(terminal: Terminal, verb: string, total: number): Progress {
  if (!terminal.isScreen || total < MIN_BYTES) return NO_PROGRESS;
  let shown = -1;
  return {
    at: (bytes) => {
      const percent = Math.min(100, Math.floor((bytes / total) * 100));
      if (percent === shown) return;
      shown = percent;
      const text = `${verb} ${sizeText(bytes)} of ${sizeText(total)}, ${percent} %`;
      terminal.out(`${CLEAR_LINE}${fitText(text, terminal.columns - 1)}`);
    },
    done: () => {
      if (shown >= 0) terminal.out(CLEAR_LINE);
    },
  };
}
