import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generateSigningKeyPem, readSigningKey, type SigningKey } from '@svc/signing';
import { makeFolderDurably, renameDurably, writeDurably } from './durable-file.ts';
import { orNull } from './faults.ts';
import { keyIn } from './key-chain-file.ts';

/** The file next to the private key with the name of the store that signs with it, as in its database. */
const ownerFileOf = (keyFile: string): string => `${keyFile}.store`;

/** Reads the name of the store that has started with a key; null when there is none. */
export const readKeyOwner = (keyFile: string): Promise<string | null> =>
  orNull(readFile(ownerFileOf(keyFile), 'utf8'));

/** Records once which store signs with a key, unless the key is on a read-only volume. */
export async function keepKeyOwner(keyFile: string, name: string): Promise<void> {
  const file = ownerFileOf(keyFile);
  if ((await readKeyOwner(keyFile)) !== null) return;
  try {
    // Processes that start at the same time write the same name.
    const draft = `${file}.${process.pid}`;
    await writeDurably(draft, name);
    await renameDurably(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EEXIST') throw error;
  }
}

/** Permission bits of the group and of other users. */
const OTHERS = 0o077;

/**
 * Reads the store's private key, and creates it at the first start. Only the owner may read the file.
 * @param newName a fresh suffix for a temporary file
 * @throws when the file exists but is not an Ed25519 key: a store must never continue with a different key
 */
export async function openSigningKey(file: string, newName: () => string): Promise<SigningKey> {
  const pem = await orNull(readFile(file, 'utf8'));
  if (pem !== null) {
    // When the mode is already right, the volume may be read-only.
    if (((await stat(file)).mode & OTHERS) !== 0) await chmod(file, 0o600);
    return keyIn(file, pem);
  }
  const made = generateSigningKeyPem();
  const draft = `${file}.${newName()}`;
  await makeFolderDurably(dirname(file));
  try {
    await writeDurably(draft, made);
    await renameDurably(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return readSigningKey(made);
}
