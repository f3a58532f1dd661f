import { bundleFiles } from './bundle-files.ts';
import { deflateStreams } from './deflate-streams.ts';
import { manifestTexts } from './manifest-texts.ts';
import { manifests } from './manifests.ts';
import type { Part } from './promise.ts';
import { zips } from './zips.ts';

/** Every kind of input. A case is of the kind that its seed modulo their number names. */
// biome-ignore lint/suspicious/noExplicitAny: each part makes the inputs that it checks, and nobody else sees them.
export const PARTS: readonly Part<any>[] = [manifests, manifestTexts, zips, bundleFiles, deflateStreams];

/** The part that a seed belongs to. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function partOf(seed: number): Part<any> {
  const part = PARTS[seed % PARTS.length];
  if (!part) throw new RangeError(`A seed is a whole number from 0 on, not ${seed}.`);
  return part;
}
