import type { Issue } from '@svc/contracts';
import type fc from 'fast-check';

/** A kind of hostile input, and what is promised for each. */
export interface Part<Input> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws when a promise is broken. */
  readonly check: (input: Input) => void;
  /** The input as a file, to look at or to keep. */
  readonly toFile: (input: Input) => Uint8Array;
}

/** A broken promise, in words. */
class BrokenPromiseError extends Error {
  override readonly name = 'BrokenPromiseError';
}

/** Asserts that something promised holds. */
export function promise(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new BrokenPromiseError(otherwise);
}

/** A code says at most a hundred things of one input, and each so briefly that a person can read it. */
const MAX_ISSUES = 14_000;
const MAX_MESSAGE = 600;

/** Asserts that findings can be handed on as JSON and shown on a terminal, whatever the input was. */
export function promiseSoundIssues(issues: readonly Issue[]): void {
  promise(issues.length <= MAX_ISSUES, `there are ${issues.length} findings`);
  for (const { code, path, message } of issues) {
    promise(message.isWellFormed() && message.length <= MAX_MESSAGE, `${code} has an unfit message`);
    promise(!/[\p{C}\p{Zl}\p{Zp}]/u.test(message), `${code} echoes what can hide or reorder text`);
    promise(path.length <= 100_000, `${code} has a path of ${path.length} letters`);
  }
}
