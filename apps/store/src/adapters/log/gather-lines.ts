/** Bytes of one write: Docker reads logs in chunks of 16 KiB. */
const CHUNK = 16 * 1024;

/** Maximum time that a line is buffered, in milliseconds. */
const WAIT_MS = 200;

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES = 3;

/** The destination of chunks. */
export type Sink = {
  write(chunk: Buffer): unknown;
  flush(): void;
  once(event: 'close', then: () => void): unknown;
};

/**
 * Buffers the lines of a log as bytes and writes many in one call: queueing each line as a string costs more than many requests. No
 * line is lost when the process ends normally, by `process.exit` or by an error.
 * @param sink buffers chunks while a write is in progress, and writes the remainder when the process ends
 */
export function gatherLines(sink: Sink): { write(line: string): void } {
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  let size = 0;
  let isClosed = false;
  const pass = () => {
    if (size === 0 || isClosed) return;
    sink.write(Buffer.from(buffer.subarray(0, size)));
    size = 0;
  };
  const timer = setInterval(() => {
    pass();
    sink.flush();
  }, WAIT_MS).unref();
  sink.once('close', () => {
    isClosed = true;
    // A closed sink throws when it flushes.
    clearInterval(timer);
  });
  // Runs before the sink flushes its buffer.
  process.prependListener('beforeExit', pass);
  process.prependListener('exit', pass);
  return {
    write(line) {
      if (size + line.length * MAX_BYTES > CHUNK) pass();
      if (line.length * MAX_BYTES > CHUNK) sink.write(Buffer.from(line));
      else size += buffer.write(line, size);
    },
  };
}
