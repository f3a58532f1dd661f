import { createHash, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from './system.ts';

const SECRET_BYTES = 32;

/** A text nobody can guess, of 256 random bits: for a cookie or a link. */
export const newSecret = (random: RandomBytes): string =>
  Buffer.from(random(SECRET_BYTES)).toString('base64url');

/** The form in which such a text is kept. It holds too many random bits to be guessed back from a plain hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Whether two texts are the same, found out in a time that tells nothing of where they differ. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(a), 'hex'), Buffer.from(hashSecret(b), 'hex'));

/** Makes an unforgeable name of a text, the same in every process of the store: base64url, 256 bits. */
export type Mac = (text: string) => string;

/** The seal of a key of 256 random bits, such as `newSecret` makes. */
export const sealOf =
  (key: string | Buffer): Mac =>
  (text) =>
    createHmac('sha256', key).update(text).digest('base64url');

/**
 * A seal for one purpose, from the store's signing key, which all its processes share already (HKDF, RFC 5869). Nothing made
 * with it can be taken for what another purpose made, nor for a signature. When the key is rotated, it changes.
 */
export function createMac(privateKey: KeyObject, purpose: string): Mac {
  const material = privateKey.export({ type: 'pkcs8', format: 'der' });
  return sealOf(Buffer.from(hkdfSync('sha256', material, '', `svc:${purpose}`, SECRET_BYTES)));
}
