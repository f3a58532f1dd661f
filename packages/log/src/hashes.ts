import { hash } from 'node:crypto';

/** Bytes of a hash: every hash of a log is a SHA-256. */
export const HASH_BYTES = 32;

const LEAF = new Uint8Array([0]);
const NODE = 1;

const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

/** The hash of an entry (RFC 6962 section 2.1): `SHA-256(0x00 || entry)`. */
export const leafHash = (entry: Uint8Array): Uint8Array => sha256(Buffer.concat([LEAF, entry]));

/** The hash of two subtrees (RFC 6962 section 2.1): `SHA-256(0x01 || left || right)`. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = NODE;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

/** The root of a tree without entries (RFC 6962 section 2.1): the hash of the empty string. */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array());

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Decodes base64 (RFC 4648 section 4) in its one canonical spelling; null for anything else. */
export function bytesOfBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Decodes a hash in base64; null for anything else. */
export function hashOfBase64(text: string): Uint8Array | null {
  const bytes = bytesOfBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : null;
}

/** Parses a size or an index: a decimal number without leading zeroes, up to 2^53 - 1; null for anything else. */
export function readCount(text: string): number | null {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : null;
}
