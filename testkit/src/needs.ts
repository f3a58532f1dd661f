import type {} from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What a test that is skipped would need; the report of a run says it. */
    needs?: string;
  }
}

/** Options of a test, or of a group of tests. */
type Needs = { skip: boolean; meta: { needs?: string } };

/**
 * Options of a test, or of a group, that needs something of the machine: it is skipped without it, and the report says why.
 * @param isHere whether the machine has it
 * @param what it needs, as a sentence without its subject: `needs radosgw`
 */
export const needs = (isHere: boolean, what: string): Needs => ({
  skip: !isHere,
  meta: isHere ? {} : { needs: what },
});
