import { LIMITS } from '@svc/contracts/vocabulary';
import { Refusal } from '../refusal.ts';
import type { CentralHeader } from './central-header.ts';

/** Refuses what the declared sizes alone show to be too much; that they are true is found while inflating. */
export function checkSizes(headers: readonly CentralHeader[]): Refusal | undefined {
  let total = 0;
  for (const { name, size, compressedSize } of headers) {
    if (isBeyondRatio(size, compressedSize)) {
      const limit = `${LIMITS.bundle.ratio}:1`;
      return new Refusal(name, `The entry shrinks by more than ${limit}: store it without compression.`);
    }
    total += size;
    if (total > LIMITS.bundle.inflatedBytes) {
      return new Refusal(
        name,
        `The files come to over ${LIMITS.bundle.inflatedBytes} bytes in all: leave some out.`,
      );
    }
  }
  return undefined;
}

/** Whether an entry of these sizes would be taken for a decompression bomb. */
export function isBeyondRatio(size: number, compressedSize: number): boolean {
  return size > LIMITS.bundle.ratioFloorBytes && size > LIMITS.bundle.ratio * compressedSize;
}
