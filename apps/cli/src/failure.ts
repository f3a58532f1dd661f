import type { ErrorEnvelope } from '@svc/contracts';

/** Exit codes that mean something went wrong: it failed, it was asked in a wrong way, or Ctrl-C ended it. */
export type FailureCode = 1 | 2 | typeof EXIT_INTERRUPTED;

/** What shells answer for a program that SIGINT (2) ended: 128 and the number of the signal. */
const EXIT_INTERRUPTED = 130;

/** A failure that the user can act on. The message may hold text of strangers; it is escaped where it is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: FailureCode;

  constructor(message: string, exitCode: FailureCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What was asked for did not come true. */
export const failed = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 1, options);

/** Ctrl-C ended it before it was done. */
export const cancelled = (message: string): CommandError => new CommandError(message, EXIT_INTERRUPTED);

/** The store gave no answer: it could give one later. */
export class NoAnswerError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 1, options);
  }
}

/** The command was called in a way that cannot work. */
export const usageError = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 2, options);

/** The store said no, in the form that its errors have. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    super(envelope.message);
    this.envelope = envelope;
  }
}
