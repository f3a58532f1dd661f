import { LIMITS } from '@svc/contracts/vocabulary';
import { Refusal } from '../refusal.ts';
import type { CentralHeader } from './parse-central-directory.ts';

/** Checks the declared sizes against the limits; inflating verifies the sizes later. */
export function checkSizes(headers: readonly CentralHeader[], inflatedBytes: number): Refusal | undefined {
  let total = 0;
  for (const { name, size, compressedSize } of headers) {
    if (isBeyondRatio(size, compressedSize)) {
      const limit = `${LIMITS.bundle.ratio}:1`;
      return new Refusal(name, `The entry shrinks by more than ${limit}: store it without compression.`);
    }
    total += size;
    if (total > inflatedBytes) {
      return new Refusal(name, `The files have more than ${inflatedBytes} bytes in total: remove some.`);
    }
  }
  return undefined;
}

/** Whether an entry with these sizes counts as a decompression bomb. */
export function isBeyondRatio(size: number, compressedSize: number): boolean {
  return size > LIMITS.bundle.ratioFloorBytes && size > LIMITS.bundle.ratio * compressedSize;
}
