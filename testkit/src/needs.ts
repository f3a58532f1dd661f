import type {} from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What a skipped test needs; shown in the report of a run. */
    needs?: string;
  }
}

/** Options of a test, or of a group of tests. */
type Needs = { skip: boolean; meta: { needs?: string } };

/**
 * Options of a test or group with a requirement on the machine: it is skipped without it, and the report says why.
 * @param isHere whether the requirement is met
 * @param what the requirement, such as `needs radosgw`
 */
export const needs = (isHere: boolean, what: string): Needs => ({
  skip: !isHere,
  meta: isHere ? {} : { needs: what },
});
