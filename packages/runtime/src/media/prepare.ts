import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Prepare } from '../files/ready-files.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { imageFormatOf } from './image-formats.ts';
import type { Outcome, Task } from './prepare-worker.ts';
import { recordingFormatOf } from './recording-types.ts';

/** Time limit for one file, in milliseconds. */
const IMAGE_MS = 30_000;
const RECORDING_MS = 180_000;
/** Files that are prepared at the same time; others wait. */
const MAX_CONCURRENT = 2;
/** Limits of the thread's heap, in megabytes. Pixels and samples are outside the heap, and are limited by their own bounds. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** The worker's file, next to this one, as source or as built. */
const entry = (): URL => new URL(`./prepare-worker${extname(import.meta.url)}`, import.meta.url);

async function runInThread(task: Task, signal: AbortSignal): Promise<Outcome> {
  const worker = new Worker(entry(), {
    workerData: task,
    transferList: [task.bytes.buffer],
    resourceLimits: MEMORY,
    env: {},
    stdout: true,
    stderr: true,
  });
  try {
    const [outcome] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => {
        throw new RuntimeError('media-failed');
      }),
    ])) as [Outcome];
    return outcome;
  } finally {
    await worker.terminate();
  }
}

/** Runs a limited number of jobs at a time, in the order of the calls. */
function createTurns(maxConcurrent: number) {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside === maxConcurrent) await new Promise<void>((go) => waiting.push(go));
    else inside += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}

/**
 * Creates the runner of media operations. Each runs in a thread of its own: with a time limit, and without blocking the main
 * thread.
 */
export function createPrepare(system: Pick<System, 'sleep'>): Prepare {
  const inTurn = createTurns(MAX_CONCURRENT);
  return async ({ bytes, type }, request, signal) => {
    const isImage = imageFormatOf(type) !== null;
    if (!isImage && recordingFormatOf(type) === null) {
      throw new RuntimeError('media-failed', `Files of type ${type} cannot be converted.`);
    }
    return inTurn(() =>
      withinTime(system, isImage ? IMAGE_MS : RECORDING_MS, signal, async (timed) => {
        timed.throwIfAborted();
        const outcome = await runInThread({ bytes: new Uint8Array(bytes), type, request }, timed).catch(
          (error: unknown) => {
            throw timed.aborted
              ? timed.reason
              : error instanceof RuntimeError
                ? error
                : new RuntimeError('media-failed');
          },
        );
        if ('fault' in outcome) throw new RuntimeError('media-failed', outcome.fault);
        return outcome;
      }),
    );
  };
}
