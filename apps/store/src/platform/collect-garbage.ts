import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: (options?: { type: 'major' | 'minor' }) => void = runInNewContext('gc');

/**
 * Frees unreferenced memory immediately. V8 hardly takes account of memory outside its heap, such as the buffers of files and sockets,
 * and lets tens of megabytes of it accumulate in each thread before it collects them.
 * @param kind `minor` collects the young generation, and takes a millisecond; `major` collects everything
 */
export const collectGarbage = (kind: 'major' | 'minor'): void => gc({ type: kind });

/** Bytes of unused buffers that accumulate before they are freed. */
const DEAD_BYTES = 8 * 1024 * 1024;
let dead = 0;

/**
 * Counts the bytes of buffers that are no longer used, of all uploads and downloads together, and frees them with a minor collection.
 * V8 would run a major collection instead, during which all requests wait for tens of milliseconds.
 */
export function releaseBuffers(bytes: number): void {
  dead += bytes;
  if (dead < DEAD_BYTES) return;
  dead = 0;
  collectGarbage('minor');
}
