import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { RandomBytes } from './system.ts';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];

/** Derives the key of an entry from a secret that is not in the database, such as the state of a sign-in: a copy of the database reveals nothing. */
const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'svc:relay', KEY_BYTES));

/** Encrypts a text so that only the holder of the secret can read it. */
export function sealEntry(secret: string, text: string, random: RandomBytes): string {
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), iv);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/**
 * Decrypts the result of `sealEntry`.
 * @throws when the secret is wrong, or the text was changed
 */
export function openEntry(secret: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyOf(secret), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}

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
