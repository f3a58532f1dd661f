import type { ErrorCode, ErrorExtras } from '@svc/contracts';

/**
 * A request is refused: a code of the error table, a message to act on, and optional details. Any other error is a fault of the store.
 * `title` replaces the heading that the code has on a page.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;
  readonly title: string | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}, title?: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.extras = extras;
    this.title = title;
  }
}

/**
 * The refusal of one field of a request.
 * @param message what the field must be, such as "must be an id"; or with `sentence`, all that is said of it
 */
export const invalidField = (field: string, message: string, sentence = `${field} ${message}.`): ApiError =>
  new ApiError('invalid_request', sentence, {
    issues: [{ code: 'invalid_request', level: 'error', path: `/${field}`, message }],
  });

/** The refusal of a body whose client ended the connection: an everyday event, and no failure of the store. */
export const brokenOff = (): ApiError =>
  new ApiError('invalid_request', 'The body ended before it was complete: send it again.');

/** The refusal of a link that is used, too old, or incomplete. */
export const invalidLink = (message: string, title = 'Link not valid'): ApiError =>
  new ApiError('not_found', message, {}, title);
