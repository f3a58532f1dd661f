import { guarded } from '@svc/contracts/guarded';
import type { Chunks } from './write-chunks.ts';

/** Bytes of one write: Docker reads logs in chunks of 16 KiB. */
const CHUNK = 16 * 1024;

/** Maximum time that a line is buffered, in milliseconds. */
const WAIT_MS = 200;

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES = 3;

/**
 * Buffers the lines of a log as bytes and writes many in one call: queueing each line as a string costs more than many requests. No
 * line is lost when the process ends normally, by `process.exit` or by an error.
 */
export function gatherLines({ write, end }: Pick<Chunks, 'write' | 'end'>): { write(line: string): void } {
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  let size = 0;
  const pass = () => {
    if (size > 0) write(Buffer.from(buffer.subarray(0, size)));
    size = 0;
  };
  setInterval(guarded(pass), WAIT_MS).unref();
  process.prependListener('beforeExit', guarded(pass));
  const onExit = () => {
    pass();
    end();
  };
  process.prependListener('exit', guarded(onExit));
  return {
    write(line) {
      if (size + line.length * MAX_BYTES > CHUNK) pass();
      if (line.length * MAX_BYTES > CHUNK) write(Buffer.from(line));
      else size += buffer.write(line, size);
    },
  };
}
