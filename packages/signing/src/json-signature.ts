import { type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, type JsonValue } from './canonical-json.ts';
import type { SigningKey } from './keys.ts';

const SIGNATURE_BYTES = 64;

/** Signs the canonical JSON of a value. Returns the Ed25519 signature (RFC 8032) in base64. */
export const signJson = (value: JsonValue, key: SigningKey): string =>
  sign(null, canonicalJson(value), key.privateKey).toString('base64');

/** The canonical bytes of a received value; null when it has none, for example because of a lone surrogate. */
function bytesOf(value: JsonValue): Uint8Array | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

/**
 * Verifies a base64 signature of the key over the canonical JSON of a value. Does not throw for untrusted input: a
 * value without canonical bytes cannot have been signed.
 */
export function verifyJsonSignature(value: JsonValue, signature: string, key: KeyObject): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Buffer skips characters that are not base64, so a signature could have several spellings: only the canonical one is accepted.
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64') !== signature) return false;
  const signed = bytesOf(value);
  return signed !== null && verify(null, signed, key, bytes);
}
