import type { Prepare } from '../files/ready-files.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { Programs } from '../programs/own-program.ts';
import { imageFormatOf } from './image-formats.ts';
import { createMediaProcess } from './process-pool.ts';
import { recordingFormatOf } from './recording-types.ts';

const MiB = 1024 * 1024;

/** Limits of each process. */
const LIMITS = { maxMemory: 1_536 * MiB, maxOutput: 256 * MiB, idleMs: 30_000 };

/** Time limits of one file, in milliseconds. */
const IMAGE_MS = 30_000;
const RECORDING_MS = 180_000;
const DRAWING_MS = 10_000;

/** Runs media operations in processes of their own. */
export type Media = Prepare & {
  /** Draws a picture of an app as a PNG, with at most this side in pixels. @throws RuntimeError `media-failed`, `too-slow` */
  draw(bytes: Uint8Array, side: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the processes. */
  close(): Promise<void>;
};

/**
 * Creates the runner of media operations. Pictures and recordings have a process each, one file at a time, so that a video delays no
 * picture. A process gets no environment of the client; it ends with the client, after a failure, and after a time without files.
 */
export function createPrepare(system: Pick<System, 'sleep'>, programs: Programs = {}): Media {
  const images = createMediaProcess(system, LIMITS, programs);
  const recordings = createMediaProcess(system, LIMITS, programs);
  const prepare: Prepare = async ({ bytes, type }, request, signal) => {
    const task = { work: 'prepare', type, request } as const;
    if (imageFormatOf(type) !== null) return images.run({ task, bytes, maxMs: IMAGE_MS }, signal);
    if (recordingFormatOf(type) !== null) return recordings.run({ task, bytes, maxMs: RECORDING_MS }, signal);
    throw new RuntimeError('media-failed', `Files of type ${type} cannot be converted.`);
  };
  return Object.assign(prepare, {
    async draw(bytes: Uint8Array, side: number, signal: AbortSignal) {
      const task = { work: 'draw', side } as const;
      return (await images.run({ task, bytes, maxMs: DRAWING_MS }, signal)).bytes;
    },
    async close() {
      await Promise.all([images.close(), recordings.close()]);
    },
  });
}
