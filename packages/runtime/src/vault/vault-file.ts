import { createCipheriv, createDecipheriv, createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { KeyHint } from './vault-key.ts';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16];

/**
 * Derives a key for one purpose from the master key (HKDF, RFC 5869).
 * @param purpose unique per purpose
 */
export function keyFor(master: Uint8Array, id: string, purpose: string): Buffer {
  // HKDF takes at most 1,024 bytes here: the address of an authorization server, which names an entry, may be longer.
  const isLong = Buffer.byteLength(purpose) > 1_000;
  const named = isLong ? `sha256:${createHash('sha256').update(purpose).digest('hex')}` : purpose;
  return Buffer.from(hkdfSync('sha256', master, id, `svc:vault:${named}`, KEY_BYTES));
}

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

/**
 * The file of a vault: a plain header line and encrypted data. The line is authenticated too, so that a vault with a modified line
 * cannot be decrypted.
 */
type VaultFile = { header: Header; line: string; encrypted: Buffer };

/** The plain header of a vault. */
export type Header = z.infer<typeof Header>;
const Header = z.object({
  /** Random id, so that no two vaults share a derived key. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Key check value: distinguishes a wrong key from damage. It reveals nothing about a random key. */
  check: z.string().regex(/^[0-9a-f]{64}$/),
  key: KeyHint,
});

/** Encrypted entries by name. */
export type Entries = Map<string, string>;
const Entries = z.record(z.string(), z.string());

/** Prefix of every vault, with the format version. */
const MAGIC = 'svc-vault 1 ';

/** Maximum length of the header line, in bytes. */
const MAX_LINE = 1024;

const checkOf = (id: string, key: Uint8Array): Buffer => keyFor(key, id, 'check');

/** The first line of a new vault. */
export function headerOf(id: string, key: Uint8Array, hint: KeyHint): Header {
  return { id, check: checkOf(id, key).toString('hex'), key: hint };
}

/** Whether a key is the key of the vault. */
export const isKeyOf = ({ id, check }: Header, key: Uint8Array): boolean =>
  timingSafeEqual(Buffer.from(check, 'hex'), checkOf(id, key));

function parseHeader(text: string): Header | null {
  try {
    return Header.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Parses the file of a vault.
 * @returns null when it is not a vault, or has an unknown format version
 */
export function parseVault(bytes: Buffer): VaultFile | null {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\n');
  if (end < 0) return null;
  const line = bytes.toString('utf8', 0, end);
  const header = line.startsWith(MAGIC) ? parseHeader(line.slice(MAGIC.length)) : null;
  return header && { header, line, encrypted: bytes.subarray(end + 1) };
}

/**
 * Decrypts the table of entries; each entry stays encrypted with its own key.
 * @returns null when the vault was modified or truncated
 */
export function decryptEntries(
  { header, line, encrypted: locked }: VaultFile,
  key: Uint8Array,
): Entries | null {
  const text = decrypt(keyFor(key, header.id, 'file'), locked, line)?.toString('utf8');
  return text === undefined ? null : new Map(Object.entries(Entries.parse(JSON.parse(text))));
}

/** Serialises a vault. */
export function encryptEntries(
  header: Header,
  key: Uint8Array,
  entries: Entries,
  randomBytes: (length: number) => Uint8Array,
): Buffer {
  const line = `${MAGIC}${JSON.stringify(header)}`;
  const text = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  return Buffer.concat([
    Buffer.from(`${line}\n`),
    encrypt(keyFor(key, header.id, 'file'), text, line, randomBytes),
  ]);
}
