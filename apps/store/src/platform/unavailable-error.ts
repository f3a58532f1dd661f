/**
 * A dependency of the store is temporarily unavailable. The response does not name it: the cause is only for the log.
 */
export class UnavailableError extends Error {
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  /**
   * @param message what failed, for the log; it never contains a secret
   * @param retryAfter seconds
   */
  constructor(message: string, { cause, retryAfter = 10 }: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, { cause });
    this.name = 'Unavailable';
    this.retryAfter = retryAfter;
  }
}
