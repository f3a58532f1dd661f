import { type Stats, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { programFile } from '../../platform/own-package.ts';

/** Interval of checking the size of the log, in milliseconds. */
const LOOK_MS = 250;

/** Size of the log, in bytes, from which it is checkpointed; the same as SQLite's automatic checkpoint. */
const LONG_BYTES = 4 * 1024 * 1024;

/** The size and time of a file; undefined when it does not exist, or its folder cannot be read: writes report that. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

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
    const idle = () => {
      isBusy = false;
    };
    started.on('message', guarded(idle));
    // After an error, the next check starts another thread. If none succeeds, SQLite's automatic checkpoint applies.
    started.on('error', () => {});
    const over = () => {
      worker = undefined;
      isBusy = false;
    };
    started.on('exit', guarded(over));
    return started;
  };

  const look = () => {
    const log = statsOf(`${file}-wal`);
    // A checkpoint does not shorten the file: only a log that has been written to since needs another.
    if (isBusy || !log || log.size < LONG_BYTES || log.mtimeMs === writtenAt) return;
    worker ??= startWorker();
    worker.postMessage('checkpoint');
    isBusy = true;
    writtenAt = log.mtimeMs;
  };

  // A system that starts no thread refuses at each check; the automatic checkpoint applies meanwhile.
  const timer = setInterval(
    guarded(look, () => {}),
    LOOK_MS,
  );
  timer.unref();
  return () => {
    clearInterval(timer);
    if (worker) inBackground(worker.terminate());
  };
}
