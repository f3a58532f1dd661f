import type { ErrorCode, ErrorExtras } from '@svc/contracts';

/**
 * A request is refused: a code of the error table, a message to act on, and optional details. Any other error is a fault of the store.
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
