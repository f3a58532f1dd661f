import { describe, expect, it } from 'vitest';
import { ERRORS } from '../src/index.ts';

/** Statuses that clients rely on. */
const STATUSES = {
  empty_body: 400,
  invalid_bundle: 400,
  unauthorized: 401,
  not_a_member: 403,
  publisher_suspended: 403,
  app_suspended: 403,
  unknown_publisher: 404,
  id_taken: 409,
  version_not_greater: 409,
  validation_failed: 422,
  not_found: 404,
  method_not_allowed: 405,
  bundle_too_large: 413,
  body_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_request: 400,
  rate_limited: 429,
  already_handled: 409,
  forbidden: 403,
  yanked: 410,
  access_denied: 403,
  limit_reached: 409,
  expired: 410,
  slow_down: 429,
  internal: 500,
  upload_too_slow: 408,
  unavailable: 503,
};

describe('error table', () => {
  it.each(Object.entries(STATUSES))('maps %s to %i', (code, status) => {
    expect(ERRORS).toHaveProperty([code, 'status'], status);
  });
});
