import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import type { RandomBytes } from './system.ts';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];

/** Derives the key of an entry from a secret that is not in the database, such as the state of a sign-in: a copy of the database reveals nothing. */
const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'svc:relay', KEY_BYTES));

/** The key under which the entry of a sign-in is stored. */
export const hashState = (state: string): string => createHash('sha256').update(state).digest('hex');

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
