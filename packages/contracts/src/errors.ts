/**
 * Every error code an endpoint may answer with: its HTTP status, and the condition in the words of the API page.
 * The table is closed: an answer with any other code is a bug.
 */
export const ERRORS = {
  empty_body: { status: 400, when: 'The request carries no bundle.' },
  invalid_bundle: {
    status: 400,
    when: 'The body is not a zip that every reader would agree on; `issues` says why.',
  },
  invalid_request: {
    status: 400,
    when: 'A parameter or the JSON body is malformed; `issues` names each fault.',
  },
  unauthorized: { status: 401, when: 'The bearer token is missing, unknown, expired or revoked.' },
  forbidden: { status: 403, when: 'The token is good, but its role or scopes do not allow this.' },
  access_denied: { status: 403, when: 'The person has denied the device.' },
  not_a_member: { status: 403, when: 'The token does not act for the publisher that the manifest names.' },
  publisher_suspended: { status: 403, when: 'The publisher is suspended.' },
  app_suspended: { status: 403, when: 'The app is suspended.' },
  not_found: { status: 404, when: 'There is nothing here, or nothing that the public may see.' },
  unknown_publisher: { status: 404, when: 'The publisher that the manifest names does not exist yet.' },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method; `allow` lists those it has.',
  },
  upload_too_slow: {
    status: 408,
    when: 'The body arrives more slowly than the store waits for; the connection is closed.',
  },
  request_timeout: { status: 408, when: 'The request did not arrive whole in time.' },
  already_handled: {
    status: 409,
    when: 'Another request has moved this on already; `status` says where it is now.',
  },
  locked: {
    status: 409,
    when: 'Another moderator is at work on the version; `lock` names the holder, and says until when.',
  },
  already_exists: { status: 409, when: 'Something with this name exists already.' },
  limit_reached: {
    status: 409,
    when: 'There are as many of these as there may be: remove one first.',
  },
  last_owner: { status: 409, when: 'The publisher would be left without an owner.' },
  id_taken: { status: 409, when: 'The app id belongs to another publisher.' },
  version_not_greater: {
    status: 409,
    when: 'The version is not greater than every version uploaded before; `latest` is the greatest of them.',
  },
  yanked: { status: 410, when: 'The version was withdrawn and must not be used.' },
  expired: {
    status: 410,
    when: 'The device code is unknown, has run out, or was exchanged for its token already.',
  },
  bundle_too_large: { status: 413, when: 'The body is over 25 MiB.' },
  unsupported_media_type: { status: 415, when: 'The body is of a type this endpoint does not take.' },
  range_not_satisfiable: {
    status: 416,
    when: 'The range lies behind the end; `size` says how many bytes there are.',
  },
  validation_failed: { status: 422, when: 'The store checks found errors; `issues` lists all of them.' },
  rate_limited: { status: 429, when: 'Too many requests; try again after `retryAfter` seconds.' },
  slow_down: { status: 429, when: 'The device polls too often; wait `retryAfter` seconds longer.' },
  headers_too_large: { status: 431, when: 'The address and headers of the request are over 16 KiB.' },
  internal: { status: 500, when: 'Our fault. The request id finds the detail in the log of the store.' },
  unavailable: {
    status: 503,
    when: 'The store cannot do this just now; try again after `retryAfter` seconds.',
  },
} as const satisfies Record<string, { status: number; when: string }>;

/** A code of the error table. */
export type ErrorCode = keyof typeof ERRORS;
