import { write, writeSync } from 'node:fs';
import { guarded } from '@svc/contracts/guarded';

/** Maximum bytes that wait for a slow log; a chunk beyond it is dropped. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Pause before a write to a full pipe is retried, in milliseconds, and the number of retries at the exit, which wait for it. */
const RETRY_MS = 50;
const EXIT_RETRIES = 20;

/** How long a write may take before the reader of the log counts as stuck, in milliseconds. */
const STUCK_MS = 1_000;

const LINE_FEED = Buffer.from('\n');

/** The destination of a log. */
export type Chunks = {
  write(chunk: Buffer): void;
  /** Writes what waits; called when the process exits. */
  end(): void;
  /** Lines that were dropped because the log could not be written. */
  dropped(): number;
};

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

const isFullPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN';

/** Blocks the process. */
const waitSync = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Writes chunks of whole lines to a file descriptor. What cannot be written, as on a full disk, is dropped and counted: a log never ends
 * or delays its process.
 * @param onRecovered called with the number of dropped lines once the log can be written again
 */
export function writeChunks(fd: number, onRecovered: (dropped: number) => void): Chunks {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** The rest of a chunk that was written in part. */
  let rest: Buffer | null = null;
  /** Whether the log ends in the middle of a line, which the next chunk must not continue. */
  let isTorn = false;
  let dropped = 0;
  let reported = 0;
  let since: number | null = null;

  /** The next bytes to write; null when none wait. */
  function next(): Buffer | null {
    if (rest || waiting.length === 0) return rest;
    const chunk = Buffer.concat(isTorn ? [LINE_FEED, ...waiting] : waiting);
    [waiting, waitingBytes] = [[], 0];
    return chunk;
  }

  /** @returns milliseconds after which to write on; null when the log was written completely */
  function settle(chunk: Buffer, error: unknown, written: number): number | null {
    rest = null;
    if (error !== null && isFullPipe(error)) {
      rest = chunk;
      return RETRY_MS;
    }
    if (error !== null) {
      dropped += linesIn(chunk);
      return null;
    }
    isTorn = written < chunk.byteLength;
    if (isTorn) rest = chunk.subarray(written);
    else if (dropped > reported) {
      const count = dropped - reported;
      reported = dropped;
      onRecovered(count);
    }
    return 0;
  }

  function writeOn(): void {
    const chunk = since === null ? next() : null;
    if (!chunk) return;
    since = performance.now();
    const done = (error: NodeJS.ErrnoException | null, written: number) => {
      const pauseMs = settle(chunk, error, written);
      // The pause counts as part of the write: until then nothing else is written.
      const go = () => {
        since = null;
        writeOn();
      };
      if (pauseMs) setTimeout(guarded(go), pauseMs).unref();
      else go();
    };
    write(fd, chunk, 0, chunk.byteLength, null, guarded(done));
  }

  return {
    dropped: () => dropped,
    write(chunk) {
      if (waitingBytes + chunk.byteLength > MAX_WAITING) {
        dropped += linesIn(chunk);
        return;
      }
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      writeOn();
    },
    end() {
      // A process waits at its exit for the thread that writes, which a stuck reader would keep for ever.
      if (since !== null && performance.now() - since > STUCK_MS) process.kill(process.pid, 'SIGKILL');
      let retries = EXIT_RETRIES;
      for (let chunk = next(); chunk && retries > 0; chunk = next()) {
        try {
          settle(chunk, null, writeSync(fd, chunk));
        } catch (error) {
          if (settle(chunk, error, 0) !== null) waitSync(RETRY_MS);
          retries -= 1;
        }
      }
    },
  };
}
