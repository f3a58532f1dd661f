import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16];

/**
 * Derives a key for one purpose from the master key (HKDF, RFC 5869).
 * @param purpose unique per purpose
 */
export const keyFor = (master: Uint8Array, id: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, id, `svc:vault:${purpose}`, KEY_BYTES));

/**
 * Encrypts bytes with a random nonce (AES-256-GCM).
 * @param bound associated data; the same is needed to decrypt
 */
export function encrypt(
  key: Uint8Array,
  plain: Uint8Array,
  bound: string,
  randomBytes: (length: number) => Uint8Array,
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(bound));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/**
 * Reads what `seal` locked.
 * @returns null when the key or the associated data differ, or the bytes were changed
 */
export function decrypt(key: Uint8Array, sealed: Uint8Array, bound: string): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
