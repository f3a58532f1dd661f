import { scrypt } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import { z } from 'zod';
import type { Keyring } from '../keyring/keyring.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { syncFolder } from '../platform/write-durable.ts';

/** 32 bytes as base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Maximum file size in bytes: a key and a line feed. */
const MAX_BYTES = 64;

const locked = (message: string): RuntimeError => new RuntimeError('vault-locked', message);

async function textOf(file: string): Promise<string> {
  // If the file were replaced by a pipe, opening it without O_NONBLOCK would block.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { mode, uid, size } = await handle.stat();
    const own = process.getuid?.();
    if (own !== undefined && ((mode & OTHERS) !== 0 || (uid !== own && uid !== 0))) {
      throw locked(`Others on this machine may read or replace the key of the vault, ${file}.`);
    }
    if (size > MAX_BYTES) throw locked(`${file} is no key of a vault.`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Reads a key file.
 * @returns 32 bytes; null when there is no such file
 * @throws RuntimeError vault-locked when other users may read it, or it is not a key
 */
export async function readKeyFile(file: string): Promise<Buffer | null> {
  try {
    const text = (await textOf(file)).trim();
    if (text === '')
      throw locked(
        `The key of the vault, ${file}, is empty. Bring it back from a backup; if there is no vault yet, remove it, and another is made.`,
      );
    if (!KEY.test(text)) throw locked(`${file} is no key of a vault.`);
    return Buffer.from(text, 'base64url');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Gives a complete draft its final name, which must not exist. Renames where hard links are not supported. */
async function publishDraft(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await rename(draft, file);
  }
}

/**
 * Creates a key file that only its owner may read. The file must not exist. It is created atomically: an empty one would make the vault
 * unreadable.
 */
export async function writeKeyFile(file: string, key: Uint8Array): Promise<void> {
  makePrivateFolder(dirname(file));
  const draft = `${file}.tmp`;
  await rm(draft, { force: true });
  try {
    const handle = await newPrivateFile(draft);
    try {
      await handle.writeFile(`${Buffer.from(key).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publishDraft(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}

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

/** Reads a key from the keyring; null when there is none. Errors of the keyring contain no secret. */
async function readKeyring(keyring: Keyring, id: string): Promise<Buffer | null> {
  const text = await keyring.get(keyringAccount(id));
  return text !== null && KEY.test(text) ? Buffer.from(text, 'base64url') : null;
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
