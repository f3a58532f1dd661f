import { type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKey } from './keys.ts';

/** A value that JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

const encodeObject = (value: { readonly [key: string]: JsonValue }): string => {
  // RFC 8785 section 3.2.3: keys are ordered by their UTF-16 code units, which is what the default sort compares.
  const members = Object.keys(value)
    .sort()
    .map((key) => `${encodeString(key)}:${encode(value[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
};

const encodeString = (value: string): string => {
  // RFC 8785 section 3.2.2.2: a lone surrogate has no UTF-8 form, so it must stop the encoder.
  if (!value.isWellFormed()) throw new TypeError('Canonical JSON cannot carry a lone surrogate.');
  return JSON.stringify(value);
};

function encode(value: JsonValue): string {
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('Canonical JSON cannot carry NaN or infinity.');
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  if (typeof value === 'object') return encodeObject(value as { readonly [key: string]: JsonValue });
  throw new TypeError(`Canonical JSON cannot carry a ${typeof value}.`);
}

/**
 * The canonical bytes of a JSON value (RFC 8785): keys sorted, no white space, UTF-8.
 * @throws TypeError for what JSON cannot carry: NaN, infinities, lone surrogates, undefined, functions, big integers
 */
export const canonicalJson = (value: JsonValue): Uint8Array => new TextEncoder().encode(encode(value));

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
