import { chmod, lstat, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generateSigningKeyPem, readSigningKey, type SigningKey } from '@svc/signing';
import { makeFolderDurably, renameDurably, writeDurably } from './durable-file.ts';
import { orNull, unlessReadOnly } from './faults.ts';
import { keyIn, readKeyFile } from './key-chain-file.ts';

/** The file next to the private key with the name of the store that signs with it, as in its database. */
const ownerFileOf = (keyFile: string): string => `${keyFile}.store`;

/** Reads the name of the store that has started with a key; null when there is none. */
export const readKeyOwner = (keyFile: string): Promise<string | null> =>
  orNull(readFile(ownerFileOf(keyFile), 'utf8'));

/** Records once which store signs with a key, unless the key is on a read-only volume. */
export async function keepKeyOwner(keyFile: string, name: string): Promise<void> {
  const file = ownerFileOf(keyFile);
  if ((await readKeyOwner(keyFile)) !== null) return;
  const write = async () => {
    // Processes that start at the same time write the same name.
    const draft = `${file}.${process.pid}`;
    await writeDurably(draft, name);
    await renameDurably(draft, file);
  };
  await unlessReadOnly(write()).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Permission bits of the group and of other users. */
const OTHERS = 0o077;

/** The bit with which the group may read. */
const GROUP_READS = 0o040;

/**
 * Lets only the owner read a key. A file that cannot be changed may also be readable by its group, as a secret that Kubernetes mounts
 * for the group of a pod.
 * @throws when others may read it too, with what to do
 */
async function closeToOthers(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & OTHERS) === 0 || (await unlessReadOnly(chmod(file, 0o600)))) return;
  if ((mode & OTHERS & ~GROUP_READS) === 0) return;
  throw new Error(
    `Other users may read or change ${file}, and its mode cannot be changed: give it the mode 0440 or 0400.`,
  );
}

/**
 * Reads the store's private key, and creates it at the first start. Only the owner may read the file, or its group where it is
 * mounted read-only.
 * @param newName a fresh suffix for a temporary file
 * @throws when the file exists but is not an Ed25519 key: a store must never continue with a different key; when other users may read
 *   it; and for a link to a file that does not exist, whose volume may be missing
 */
export async function openSigningKey(file: string, newName: () => string): Promise<SigningKey> {
  const pem = await readKeyFile(file);
  if (pem !== null) {
    await closeToOthers(file);
    return keyIn(file, pem);
  }
  if (await orNull(lstat(file)))
    throw new Error(
      `${file} is a link to a file that does not exist. Bring the file back, or remove the link.`,
    );
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
