import type { Issue } from '@svc/contracts';
import type fc from 'fast-check';

/** A kind of hostile input, and the guarantees that it checks. */
export interface Part<Input> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws when a guarantee is violated. */
  readonly check: (input: Input) => void;
  /** The input as a file, to save for analysis. */
  readonly toFile: (input: Input) => Uint8Array;
}

/** A violated guarantee. */
class GuaranteeError extends Error {
  override readonly name = 'GuaranteeError';
}

/** Asserts a guarantee. */
export function promise(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new GuaranteeError(otherwise);
}

/** Limits of findings: at most about a hundred per code, each short enough to read. */
const MAX_ISSUES = 14_000;
const MAX_MESSAGE = 600;

/** Asserts that findings can be serialised as JSON and shown on a terminal, for any input. */
export function promiseSoundIssues(issues: readonly Issue[]): void {
  promise(issues.length <= MAX_ISSUES, `there are ${issues.length} findings`);
  for (const { code, path, message } of issues) {
    promise(
      message.isWellFormed() && message.length <= MAX_MESSAGE,
      `the message of ${code} is malformed or too long`,
    );
    promise(
      !/[\p{C}\p{Zl}\p{Zp}]/u.test(message),
      `the message of ${code} contains characters that hide or reorder text`,
    );
    promise(path.length <= 100_000, `the path of ${code} has ${path.length} characters`);
  }
}
