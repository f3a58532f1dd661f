/**
 * Something the store leans on cannot be reached just now, and may be well again soon. Nobody is told what it is: the
 * cause is for the log.
 */
export class UnavailableError extends Error {
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  /**
   * @param message what cannot be done, for the log; it never holds a secret
   * @param retryAfter seconds
   */
  constructor(message: string, { cause, retryAfter = 10 }: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, { cause });
    this.name = 'Unavailable';
    this.retryAfter = retryAfter;
  }
}
