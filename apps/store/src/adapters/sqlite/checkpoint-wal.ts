import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../platform/own-package.ts';

/** How often the log is looked at, in milliseconds. */
const LOOK_MS = 250;

/** From this size on, in bytes, the log is brought into the database, as SQLite would by itself. */
const LONG_BYTES = 4 * 1024 * 1024;

/**
 * Keeps the write-ahead log of a database short, from a thread. SQLite would do so within a commit, and everybody whose
 * request this process answers would wait for it: up to tens of milliseconds. The thread starts when there is work.
 * @returns ends it, before the database is closed
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
    // Whatever ended it, the next look starts another; SQLite itself steps in when none gets anywhere.
    started.on('error', () => {});
    started.on('exit', () => {
      worker = undefined;
      isBusy = false;
    });
    return started;
  };

  const look = () => {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    // A log that was brought in stays as long as it was: only what was written since is work.
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
