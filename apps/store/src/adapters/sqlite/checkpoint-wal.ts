import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../platform/own-package.ts';

/** Interval of checking the size of the log, in milliseconds. */
const LOOK_MS = 250;

/** Size of the log, in bytes, from which it is checkpointed; the same as SQLite's automatic checkpoint. */
const LONG_BYTES = 4 * 1024 * 1024;

/**
 * Checkpoints the write-ahead log of a database in a thread. SQLite would do so within a commit, and all requests of this process would
 * wait for it, up to tens of milliseconds. The thread starts when the log first needs it.
 * @returns stops it; call it before closing the database
 */
export function checkpointWal(file: string): () => void {
  let worker: Worker | undefined;
  let isBusy = false;
  let writtenAt = 0;

  const startWorker = (): Worker => {
    const started = new Worker(programFile('checkpoint-worker'), { workerData: { file } });
    started.unref();
    started.on('message', () => {
      isBusy = false;
    });
    // After an error, the next check starts another thread. If none succeeds, SQLite's automatic checkpoint applies.
    started.on('error', () => {});
    started.on('exit', () => {
      worker = undefined;
      isBusy = false;
    });
    return started;
  };

  const look = () => {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    // A checkpoint does not shorten the file: only a log that has been written to since needs another.
    if (isBusy || !log || log.size < LONG_BYTES || log.mtimeMs === writtenAt) return;
    isBusy = true;
    writtenAt = log.mtimeMs;
    worker ??= startWorker();
    worker.postMessage('checkpoint');
  };

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    void worker?.terminate();
  };
}
