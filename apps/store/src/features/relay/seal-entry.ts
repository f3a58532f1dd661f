import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import type { RandomBytes } from '../../platform/system.ts';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];

/** Derives the key of an entry from its state, which the store does not keep: a copy of the database reveals no code. */
const keyOf = (state: string): Buffer => Buffer.from(hkdfSync('sha256', state, '', 'svc:relay', KEY_BYTES));

/** The key under which an entry is stored. */
export const hashState = (state: string): string => createHash('sha256').update(state).digest('hex');

/** Encrypts a text so that only the holder of the state can read it. */
export function sealEntry(state: string, text: string, random: RandomBytes): string {
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(state), iv);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/**
 * Decrypts the result of `sealEntry`.
 * @throws when the state is wrong, or the text was changed
 */
export function openEntry(state: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyOf(state), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  );
}
