import type { ErrorEnvelope } from '@svc/contracts';

/** Exit codes that mean something went wrong: what was asked for did not come true, or it was asked in a wrong way. */
export type FailureCode = 1 | 2;

/** A failure that the user can act on. The message may hold text of strangers; it is escaped where it is shown. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: FailureCode;

  constructor(message: string, exitCode: FailureCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** What was asked for did not come true. */
export const failed = (message: string, options?: ErrorOptions): Failure => new Failure(message, 1, options);

/** The store gave no answer: it could give one later. */
export class NoAnswer extends Failure {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 1, options);
  }
}

/** The command was called in a way that cannot work. */
export const usageError = (message: string, options?: ErrorOptions): Failure =>
  new Failure(message, 2, options);

/** The store said no, in the form that its errors have. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    super(envelope.message);
    this.envelope = envelope;
  }
}
