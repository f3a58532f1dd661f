import { type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, type JsonValue } from './canonical-json.ts';
import type { SigningKey } from './keys.ts';

const SIGNATURE_BYTES = 64;

/** Signs the canonical JSON of a value. Returns the Ed25519 signature (RFC 8032) in base64. */
export const sealJson = (value: JsonValue, key: SigningKey): string =>
  sign(null, canonicalJson(value), key.privateKey).toString('base64');

/** The canonical bytes of what was sent; null when it has none, as with half a surrogate pair in it. */
function bytesOf(value: JsonValue): Uint8Array | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

/**
 * Whether a base64 signature is that of the key over the canonical JSON of the value. Never throws on what was received: a
 * value without canonical bytes is one that nobody can have signed.
 */
export function sealHolds(value: JsonValue, signature: string, key: KeyObject): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Buffer skips what is not base64, so two spellings could mean one signature: only the canonical one is taken.
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64') !== signature) return false;
  const signed = bytesOf(value);
  return signed !== null && verify(null, signed, key, bytes);
}
