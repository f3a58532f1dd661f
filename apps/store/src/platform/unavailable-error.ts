import { causesOf } from '@svc/contracts/causes';

/**
 * A dependency of the store is temporarily unavailable. The response does not name it, unless its users know it anyway: the cause is only
 * for the log.
 */
export class UnavailableError extends Error {
  /** Seconds after which to try again. */
  readonly retryAfter: number;
  /** What the response says of it, as a sentence without its full stop; undefined for a part that only the operator knows. */
  readonly reported: string | undefined;

  /**
   * @param message what failed, for the log; it never contains a secret
   * @param retryAfter seconds
   */
  constructor(
    message: string,
    { cause, retryAfter = 10, reported }: { cause?: unknown; retryAfter?: number; reported?: string } = {},
  ) {
    super(message, { cause });
    this.name = 'Unavailable';
    this.retryAfter = retryAfter;
    this.reported = reported;
  }
}

/** Codes of a process or a machine without free descriptors, memory or threads (errno(3)), and of Node for the last. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ERR_WORKER_INIT_FAILED']);

/** Whether an error, or the cause of one, is that the process has no free descriptors, memory or threads: a retry may succeed. */
export const isExhausted = (error: unknown): boolean =>
  causesOf(error).some(({ code }) => EXHAUSTED.has(String(code)));
