import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@svc/signing';

/** SHA-256 of the canonical JSON of a value, in hex: what an answer of the user is bound to. */
export const hashOfJson = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalJson(value as JsonValue))
    .digest('hex');
