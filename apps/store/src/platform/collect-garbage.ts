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
