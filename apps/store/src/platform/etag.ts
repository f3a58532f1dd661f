import { createHash } from 'node:crypto';

/** A strong entity tag (RFC 9110 section 8.8.3) over the bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
