import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { decrypt, encrypt, keyFor } from './encrypt.ts';
import { KeyHint } from './vault-key.ts';

/**
 * A vault as bytes: one line for everybody, and what is locked. The line is part of what the lock protects, so that a vault
 * whose line was changed does not open.
 */
export type VaultFile = { header: Header; line: string; encrypted: Buffer };

/** What can be known of a vault without its key. */
export type Header = z.infer<typeof Header>;
const Header = z.object({
  /** Of the vault, so that no two have a key in common. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Tells the right key from a wrong one, and a wrong key from damage; of a random key it says nothing else. */
  check: z.string().regex(/^[0-9a-f]{64}$/),
  key: KeyHint,
});

/** Sealed entries by their name. */
export type Entries = Map<string, string>;
const Entries = z.record(z.string(), z.string());

/** First of every vault, with the version of the format. */
const MAGIC = 'svc-vault 1 ';

/** Longest first line, in bytes. */
const MAX_LINE = 1024;

const checkOf = (id: string, key: Uint8Array): Buffer => keyFor(key, id, 'check');

/** The first line of a new vault. */
export function headerOf(id: string, key: Uint8Array, hint: KeyHint): Header {
  return { id, check: checkOf(id, key).toString('hex'), key: hint };
}

/** Whether it is the key that the vault was locked with. */
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
 * Takes a vault apart.
 * @returns null when it is none, or of a version that this program does not know
 */
export function parseVault(bytes: Buffer): VaultFile | null {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\n');
  if (end < 0) return null;
  const line = bytes.toString('utf8', 0, end);
  const header = line.startsWith(MAGIC) ? parseHeader(line.slice(MAGIC.length)) : null;
  return header && { header, line, encrypted: bytes.subarray(end + 1) };
}

/**
 * Unlocks the entries, which stay sealed each for itself.
 * @returns null when the vault was changed, or is cut off
 */
export function decryptEntries(
  { header, line, encrypted: locked }: VaultFile,
  key: Uint8Array,
): Entries | null {
  const text = decrypt(keyFor(key, header.id, 'file'), locked, line)?.toString('utf8');
  return text === undefined ? null : new Map(Object.entries(Entries.parse(JSON.parse(text))));
}

/** A vault with these entries, as it is written. */
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
