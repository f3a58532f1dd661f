import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@svc/signing';

/** SHA-256 of bytes, or of a text as UTF-8, in hex. */
export const hashOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** SHA-256 of the canonical JSON of a value, in hex: what an answer of the user is bound to. */
export const hashOfJson = (value: unknown): string => hashOf(canonicalJson(value as JsonValue));
