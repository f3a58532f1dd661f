import { type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, type JsonValue } from './canonical-json.ts';
import type { SigningKey } from './keys.ts';

const SIGNATURE_BYTES = 64;

/** Signs the canonical JSON of a value. Returns the Ed25519 signature (RFC 8032) in base64. */
export const sealJson = (value: JsonValue, key: SigningKey): string =>
  sign(null, canonicalJson(value), key.privateKey).toString('base64');

/** Whether a base64 signature is that of the key over the canonical JSON of the value. Never throws on a signature. */
export function sealHolds(value: JsonValue, signature: string, key: KeyObject): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Buffer skips what is not base64, so two spellings could mean one signature: only the canonical one is taken.
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64') !== signature) return false;
  return verify(null, canonicalJson(value), key, bytes);
}
