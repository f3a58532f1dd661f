import { scrypt } from 'node:crypto';
import { z } from 'zod';
import type { Keyring } from '../keyring/keyring.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';

/** Where the key of the vault is stored. */
export type VaultKey =
  | { kind: 'keyring'; keyring: Keyring }
  | {
      kind: 'passphrase';
      /** Asks the user; `isNew` when a new passphrase is to be chosen. */
      ask(isNew: boolean): Promise<string>;
      /** Binary logarithm of scrypt's N for a new vault. Default: 17. */
      logN?: number;
    }
  | { kind: 'key-file'; file: string };

const KEY_BYTES = 32;
const SALT_BYTES = 16;

/**
 * The cost of one passphrase guess: 128 MiB of memory and a few tenths of a second (OWASP's first choice for scrypt). The parameters
 * are in the vault's header; the bounds in `KeyHint` prevent a modified header from exhausting the machine.
 */
const SCRYPT = { logN: 17, r: 8, p: 1 };

/** Public information about the key of a vault. */
export const KeyHint = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('keyring') }),
  z.object({ kind: z.literal('key-file') }),
  z.object({
    kind: z.literal('passphrase'),
    salt: z.string().regex(/^[0-9a-f]{32}$/),
    logN: z.number().int().min(10).max(20),
    r: z.number().int().min(8).max(16),
    p: z.number().int().min(1).max(4),
  }),
]);
export type KeyHint = z.infer<typeof KeyHint>;

type Passphrase = Extract<KeyHint, { kind: 'passphrase' }>;

function deriveKey(passphrase: string, { salt, logN, r, p }: Passphrase): Promise<Buffer> {
  if (passphrase === '') throw new RuntimeError('vault-locked', 'The passphrase is empty.');
  const N = 2 ** logN;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // Keyboards may produce different forms of the same letter (Unicode TR 15).
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** The account of the vault's key in the keyring. */
const keyringAccount = (id: string): string => `vault:${id}`;

const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/;

/** Reads a key from the keyring; null when there is none. Errors of the keyring contain no secret. */
async function readKeyring(keyring: Keyring, id: string): Promise<Buffer | null> {
  const text = await keyring.get(keyringAccount(id));
  return text !== null && KEY_TEXT.test(text) ? Buffer.from(text, 'base64url') : null;
}

/**
 * Creates the key of a new vault, and stores it in the source.
 * @param id of the vault
 * @returns 32 bytes, and the public hint for the header
 * @throws when it cannot be stored
 */
export async function makeKey(
  source: VaultKey,
  id: string,
  randomBytes: (length: number) => Uint8Array,
): Promise<{ key: Buffer; hint: KeyHint }> {
  if (source.kind === 'passphrase') {
    const salt = Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
    const hint: KeyHint = { kind: 'passphrase', salt, ...SCRYPT, logN: source.logN ?? SCRYPT.logN };
    return { key: await deriveKey(await source.ask(true), hint), hint };
  }
  const key = Buffer.from(randomBytes(KEY_BYTES));
  if (source.kind === 'key-file') {
    const present = await readKeyFile(source.file);
    if (!present) await writeKeyFile(source.file, key);
    return { key: present ?? key, hint: { kind: 'key-file' } };
  }
  await source.keyring.set(keyringAccount(id), key.toString('base64url'));
  // Some keyrings accept a secret without storing it.
  const stored = await readKeyring(source.keyring, id);
  if (!stored?.equals(key)) throw new Error('the keyring did not keep the key');
  return { key, hint: { kind: 'keyring' } };
}

/**
 * Reads the key of an existing vault.
 * @returns null when the source is of another kind, or has no key
 * @throws when the source fails
 */
export async function findKey(source: VaultKey, id: string, hint: KeyHint): Promise<Buffer | null> {
  if (source.kind === 'passphrase' && hint.kind === 'passphrase') {
    return deriveKey(await source.ask(false), hint);
  }
  if (source.kind === 'key-file' && hint.kind === 'key-file') return readKeyFile(source.file);
  if (source.kind === 'keyring' && hint.kind === 'keyring') return readKeyring(source.keyring, id);
  return null;
}
