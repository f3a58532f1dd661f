import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: (options?: { type: 'major' | 'minor' }) => void = runInNewContext('gc');

/**
 * Gives back at once what nobody refers to any more. V8 knows little of the memory outside its heap, in which bytes of
 * files and of the network lie, and lets tens of megabytes of it gather in each thread before it looks.
 * @param kind `minor` looks through what is young, and takes a millisecond; `major` looks through all
 */
export const collectGarbage = (kind: 'major' | 'minor'): void => gc({ type: kind });

/** Bytes outside of the heap that may lie about before they are given back. */
const DEAD_BYTES = 8 * 1024 * 1024;
let dead = 0;

/**
 * Counts bytes of buffers that are of no more use, those of all uploads and downloads together. Left to V8, which sees that
 * they grow and not that they are young, it looks through all of the heap for them, and everybody waits for tens of
 * milliseconds.
 */
export function releaseBuffers(bytes: number): void {
  dead += bytes;
  if (dead < DEAD_BYTES) return;
  dead = 0;
  collectGarbage('minor');
}
