import { parentPort, workerData } from 'node:worker_threads';
import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-error.ts';

// Worker thread that prepares one file. The main thread terminates it at the time limit, which frees all its memory.

/** The input and the output of the thread. */
export type Task = { bytes: Uint8Array<ArrayBuffer>; type: string; request: MediaRequest };
export type Outcome = { bytes: Uint8Array; type: string } | { fault: string };

/** Images need `sharp`, an optional peer dependency. */
async function requireSharp(): Promise<void> {
  await import('sharp').catch(() => {
    throw new MediaError('Pictures cannot be converted: the package sharp is not installed.');
  });
}

async function run({ bytes, type, request }: Task): Promise<Outcome> {
  try {
    if (type.startsWith('image/')) {
      await requireSharp();
      const { prepareImage } = await import('./images.ts');
      return await prepareImage(bytes, type, request);
    }
    const { prepareRecording } = await import('./recordings.ts');
    return await prepareRecording(bytes, type, request);
  } catch (error) {
    // The error message of a decoder may contain parts of the file.
    return { fault: error instanceof MediaError ? error.message : 'The file cannot be read.' };
  }
}

const outcome = await run(workerData as Task);
// A Node buffer may be a view of a larger one, which cannot be transferred.
const answer: Outcome = 'bytes' in outcome ? { ...outcome, bytes: new Uint8Array(outcome.bytes) } : outcome;
parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
