import { scrypt } from 'node:crypto';
import { z } from 'zod';
import type { Keyring } from '../keyring/keyring.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';

/** Where the key of a vault comes from. */
export type VaultKey =
  | { kind: 'keyring'; keyring: Keyring }
  | {
      kind: 'passphrase';
      /** Asks the person; `isNew` when the passphrase is to be chosen. */
      ask(isNew: boolean): Promise<string>;
      /** Binary logarithm of scrypt's N for a new vault: 17 when left out. */
      logN?: number;
    }
  | { kind: 'key-file'; file: string };

const KEY_BYTES = 32;
const SALT_BYTES = 16;

/**
 * What trying one passphrase costs: 128 MiB of memory and a few tenths of a second (OWASP's first choice for scrypt). A vault
 * says in its header what it was made with; more than the bounds would let a changed header take the machine.
 */
const SCRYPT = { logN: 17, r: 8, p: 1 };

/** What a vault says about its key, readable by everybody. */
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
  if (passphrase === '') throw new RuntimeError('vault-locked', 'An empty passphrase locks nothing.');
  const N = 2 ** logN;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // One person types a letter in two ways on two machines (Unicode TR 15).
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** What the vault's key is filed under in the keyring. */
const keyringAccount = (id: string): string => `vault:${id}`;

const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/;

/** A key out of the keyring, null when there is none. The keyring's error says nothing of what it holds. */
async function readKeyring(keyring: Keyring, id: string): Promise<Buffer | null> {
  const text = await keyring.get(keyringAccount(id));
  return text !== null && KEY_TEXT.test(text) ? Buffer.from(text, 'base64url') : null;
}

/**
 * Makes the key of a new vault, and keeps it where the source says.
 * @param id of the vault
 * @returns 32 bytes, and what the vault says about them
 * @throws when it cannot be kept there
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
  // Some keyrings take a secret and do not have it afterwards.
  const stored = await readKeyring(source.keyring, id);
  if (!stored?.equals(key)) throw new Error('the keyring did not keep the key');
  return { key, hint: { kind: 'keyring' } };
}

/**
 * The key of a vault that is there.
 * @returns null when the source is of another kind, or has none
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
