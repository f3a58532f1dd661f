/** Bytes that are written at once: Docker reads logs in pieces of 16 KiB. */
const CHUNK = 16 * 1024;

/** How long a line is buffered, in milliseconds. */
const WAIT_MS = 200;

/** Bytes that a UTF-16 unit may become in UTF-8. */
const MAX_BYTES = 3;

/** Where chunks go. */
export type Sink = {
  write(chunk: Buffer): unknown;
  flush(): void;
  once(event: 'close', then: () => void): unknown;
};

/**
 * Gathers the lines of a log as bytes and writes many at once: to queue each as a text costs more than many answers. Nothing of it is
 * lost when the process ends by itself, by `process.exit` or by an error.
 * @param sink keeps what is written to it while it writes, and writes the rest when the process ends
 */
export function gatherLines(sink: Sink): { write(line: string): void } {
  const held = Buffer.allocUnsafeSlow(CHUNK);
  let size = 0;
  let isClosed = false;
  const pass = () => {
    if (size === 0 || isClosed) return;
    sink.write(Buffer.from(held.subarray(0, size)));
    size = 0;
  };
  const timer = setInterval(() => {
    pass();
    sink.flush();
  }, WAIT_MS).unref();
  sink.once('close', () => {
    isClosed = true;
    // What is closed throws when it is asked to write what it has.
    clearInterval(timer);
  });
  // Before the sink writes what it has.
  process.prependListener('beforeExit', pass);
  process.prependListener('exit', pass);
  return {
    write(line) {
      if (size + line.length * MAX_BYTES > CHUNK) pass();
      if (line.length * MAX_BYTES > CHUNK) sink.write(Buffer.from(line));
      else size += held.write(line, size);
    },
  };
}
