import { parentPort, workerData } from 'node:worker_threads';
import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-error.ts';

// The thread in which one file is prepared. It is ended from outside when that takes too long, and with it all it holds.

/** What the thread is given, and what it answers. */
export type Task = { bytes: Uint8Array<ArrayBuffer>; type: string; request: MediaRequest };
export type Outcome = { bytes: Uint8Array; type: string } | { fault: string };

/** Pictures need `sharp`, which a client may leave out: it is an optional peer. */
async function requireSharp(): Promise<void> {
  await import('sharp').catch(() => {
    throw new MediaError('Pictures are not prepared here, as the package sharp is not installed.');
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
    // What a decoder says of a file may hold parts of it.
    return { fault: error instanceof MediaError ? error.message : 'The file cannot be read.' };
  }
}

const outcome = await run(workerData as Task);
// A buffer of Node may be a piece of a larger one, which cannot be handed over alone.
const answer: Outcome = 'bytes' in outcome ? { ...outcome, bytes: new Uint8Array(outcome.bytes) } : outcome;
parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
