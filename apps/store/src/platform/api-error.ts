import type { ErrorCode, ErrorExtras } from '@svc/contracts';

/**
 * An expected "no": a code of the error table, a sentence to act on, and what may go with it. Everything else that is
 * thrown is a fault of ours.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.extras = extras;
  }
}
