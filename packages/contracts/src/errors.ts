/**
 * Every error code that an endpoint may return: its HTTP status, and when it is returned, as the API page shows it.
 * The table is closed: a response with any other code is a bug.
 */
export const ERRORS = {
  empty_body: { status: 400, when: 'The request body is empty: send the zip of a bundle.' },
  invalid_bundle: {
    status: 400,
    when: 'The body is not a valid zip, or different zip readers could read it differently; `issues` says why.',
  },
  invalid_attestation: {
    status: 400,
    when: 'The attestation does not prove which workflow built the bundle; `issues` says why.',
  },
  invalid_request: {
    status: 400,
    when: 'A parameter or the request body is invalid; `issues` lists every problem.',
  },
  unauthorized: { status: 401, when: 'The bearer token or session is missing, unknown, expired or revoked.' },
  forbidden: {
    status: 403,
    when: 'The caller is authenticated, but its role or scopes do not allow this request.',
  },
  reauthentication_required: {
    status: 403,
    when: 'The request needs a proof of identity that is at most ten minutes old: `POST /api/people/me/proof`, or sign in again.',
  },
  email_unverified: {
    status: 403,
    when: 'The email address of the account is not confirmed: send the link from the page of the account, and open it.',
  },
  passkey_required: {
    status: 403,
    when: 'Moderators and administrators of this store must sign in with a passkey.',
  },
  access_denied: { status: 403, when: 'The user denied the device sign-in.' },
  not_a_member: {
    status: 403,
    when: 'The caller is not a member of the publisher, or its token is limited to another one.',
  },
  publisher_suspended: { status: 403, when: 'The publisher is suspended.' },
  app_suspended: { status: 403, when: 'The app is suspended.' },
  not_found: { status: 404, when: 'The resource does not exist, or the caller may not see it.' },
  unknown_publisher: { status: 404, when: 'The publisher in the manifest does not exist: create it first.' },
  method_not_allowed: {
    status: 405,
    when: 'The path does not support this method; `allow` lists the methods that it supports.',
  },
  upload_too_slow: {
    status: 408,
    when: 'The request body arrives too slowly. The store closes the connection.',
  },
  request_timeout: { status: 408, when: 'The request was not complete in time.' },
  already_handled: {
    status: 409,
    when: 'Another request came first, or the current state does not allow this; `status` is the state of the version.',
  },
  locked: {
    status: 409,
    when: 'Another moderator is reviewing the version; `lock` says who holds the lock and when it expires.',
  },
  already_exists: { status: 409, when: 'Something with this name already exists.' },
  limit_reached: {
    status: 409,
    when: 'The maximum number is reached: remove one first.',
  },
  storage_full: {
    status: 409,
    when: 'The publisher has used up its storage: delete apps that no user installed, or ask an administrator of the store for more.',
  },
  last_owner: { status: 409, when: 'The publisher would have no owner: make another member an owner first.' },
  id_taken: { status: 409, when: 'The app id belongs to another publisher.' },
  version_not_greater: {
    status: 409,
    when: 'The version must be greater than every version uploaded before; `latest` is the greatest of them.',
  },
  yanked: {
    status: 410,
    when: 'The version was yanked and must not be used; `tombstone` says when, by which rule, and why.',
  },
  stopped: {
    status: 410,
    when: 'The app or the publisher was stopped: suspended, or every version of it yanked; `tombstone` says when, by which rule, and why.',
  },
  expired: {
    status: 410,
    when: 'The device code is unknown, has expired, or was already exchanged for a token.',
  },
  bundle_too_large: { status: 413, when: 'The request body is larger than 25 MiB.' },
  body_too_large: { status: 413, when: 'The JSON or form of the request is larger than 64 KiB.' },
  unsupported_media_type: {
    status: 415,
    when: 'The endpoint does not accept the `Content-Type` of the request.',
  },
  range_not_satisfiable: {
    status: 416,
    when: 'The range begins after the last byte; `size` is the number of bytes.',
  },
  validation_failed: { status: 422, when: 'The store checks found errors; `issues` lists all of them.' },
  rate_limited: { status: 429, when: 'Too many requests; retry after `retryAfter` seconds.' },
  slow_down: {
    status: 429,
    when: 'The device polls too often; wait `retryAfter` seconds and poll less often.',
  },
  headers_too_large: { status: 431, when: 'The URL and headers of the request are larger than 16 KiB.' },
  internal: { status: 500, when: 'The store failed. Its log has the details under the `requestId`.' },
  unavailable: {
    status: 503,
    when: 'The store is temporarily unavailable; retry after `retryAfter` seconds.',
  },
} as const satisfies Record<string, { status: number; when: string }>;

/** A code of the error table. */
export type ErrorCode = keyof typeof ERRORS;
