import type { ErrorEnvelope } from '@svc/contracts';

/** Exit codes other than success: 1 failure, 2 usage error, 130 interrupted by Ctrl-C. */
export type FailureCode = 1 | 2 | typeof EXIT_INTERRUPTED;

/** The exit code that shells use for SIGINT (2): 128 plus the number of the signal. */
const EXIT_INTERRUPTED = 130;

/** A failure that the user can act on. The message may hold untrusted text; it is escaped where it is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: FailureCode;

  constructor(message: string, exitCode: FailureCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A command that failed: exit code 1. */
export const failed = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 1, options);

/** A command that the user cancelled: exit code 130. */
export const cancelled = (message: string): CommandError => new CommandError(message, EXIT_INTERRUPTED);

/** The store could not be reached, or a server before it answered; a retry may succeed. */
export class NoAnswerError extends CommandError {
  /** When to try again at the earliest, in milliseconds from now. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(message, 1, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** A usage error: exit code 2. */
export const usageError = (message: string, options?: ErrorOptions): CommandError =>
  new CommandError(message, 2, options);

/** The store refused the request with an error envelope. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly envelope: ErrorEnvelope;

  constructor(envelope: ErrorEnvelope) {
    super(envelope.message);
    this.envelope = envelope;
  }
}
