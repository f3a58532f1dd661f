import { createHash, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from './system.ts';

const SECRET_BYTES = 32;

/** Creates a secret of 256 random bits, for a cookie or a link. */
export const newSecret = (random: RandomBytes): string =>
  Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** Hashes a secret for storage. A plain hash is enough, as the secret has too many random bits to be guessed. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Compares two texts in constant time. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(a), 'hex'), Buffer.from(hashSecret(b), 'hex'));

/** Computes the MAC of a text, the same in every process of the store: 256 bits, base64url. */
export type Mac = (text: string) => string;

/** Creates a MAC function from a key of 256 random bits, such as one of `newSecret` (HMAC-SHA-256). */
export const macWith =
  (key: string | Buffer): Mac =>
  (text) =>
    createHmac('sha256', key).update(text).digest('base64url');

/**
 * Creates a MAC function for one purpose, with a key derived from the signing key, which all processes of the store share (HKDF,
 * RFC 5869). Its results are valid for no other purpose, and not as a signature. It changes when the key is rotated.
 */
export function createMac(privateKey: KeyObject, purpose: string): Mac {
  const material = privateKey.export({ type: 'pkcs8', format: 'der' });
  return macWith(Buffer.from(hkdfSync('sha256', material, '', `svc:${purpose}`, SECRET_BYTES)));
}

/** The token of an Authorization header (RFC 6750 section 2.1); null where it has none. */
export const bearerOf = (authorization: string | undefined): string | null =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
