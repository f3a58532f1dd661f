import { bundleFiles } from './bundle-files.ts';
import { deflateStreams } from './deflate-streams.ts';
import { manifestTexts } from './manifest-texts.ts';
import { manifests } from './manifests.ts';
import type { Part } from './promise.ts';
import { zips } from './zips.ts';

/** Every kind of input; the seed modulo their number selects the kind. */
// biome-ignore lint/suspicious/noExplicitAny: each part generates the inputs that it checks.
export const PARTS: readonly Part<any>[] = [manifests, manifestTexts, zips, bundleFiles, deflateStreams];

/** The part that a seed selects. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function partOf(seed: number): Part<any> {
  const part = PARTS[seed % PARTS.length];
  if (!part) throw new RangeError(`A seed is a whole number from 0 on, not ${seed}.`);
  return part;
}
