import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PublicKeys, type StoreKey } from '@svc/contracts';
import {
  appendKey,
  generateSigningKeyPem,
  readSigningKey,
  type SigningKey,
  verifyKeyChain,
} from '@svc/signing';
import { renameDurably, syncFolder, writeDurably } from './durable-file.ts';
import { orNull } from './faults.ts';

/** The file of the public keys, current and retired, next to the private key. */
export const chainFileOf = (keyFile: string): string => `${keyFile}.chain.json`;

/** The file of the next private key during a rotation. Its name is fixed, so that two rotations cannot run at the same time. */
const nextFileOf = (keyFile: string): string => `${keyFile}.next`;

/**
 * Reads the text of a key file.
 * @throws Error with the file and what to do, when it contains no key
 */
export function keyIn(keyFile: string, pem: string): SigningKey {
  try {
    return readSigningKey(pem);
  } catch (error) {
    throw new Error(
      `${keyFile} holds no signing key. ${(error as Error).message} Bring the file back from where you keep the key, with its .chain.json.`,
    );
  }
}

/** A key that was never rotated has no chain file; it starts at the time of its own file. */
async function firstKey(keyFile: string, { keyId, publicKeyPem }: SigningKey): Promise<StoreKey[]> {
  const { mtime } = await stat(keyFile);
  return [{ keyId, publicKeyPem, createdAt: mtime.toISOString() }];
}

/** The chain up to a key. The file may have one more, of a rotation that was killed before it took effect. */
function upTo(keys: readonly StoreKey[], keyId: string): StoreKey[] {
  const { retiredAt: _pending, ...current } = keys.find((key) => key.keyId === keyId) as StoreKey;
  return [
    ...keys.slice(
      0,
      keys.findIndex((key) => key.keyId === keyId),
    ),
    current,
  ];
}

/** Reads a file of a key; null when it does not exist. @throws when it cannot be read, with its name */
export const readKeyFile = (file: string): Promise<string | null> =>
  orNull(readFile(file, 'utf8')).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code ?? error.message}`);
  });

/**
 * Reads the chain of a store's keys, oldest first, that ends in the current one.
 * @throws when the chain is damaged, or belongs to another key
 */
export async function readKeyChain(keyFile: string, current: SigningKey): Promise<StoreKey[]> {
  const file = chainFileOf(keyFile);
  const text = await readKeyFile(file);
  if (text === null) return firstKey(keyFile, current);
  const { keys } = PublicKeys.parse(JSON.parse(text));
  const chain = verifyKeyChain(current, keys);
  if (chain.ok) return upTo(keys, current.keyId);
  throw new Error(`${file} does not lead to the key in ${keyFile}: ${chain.message}`);
}

/**
 * Reads the key in a file with its chain, as `readKeyChain` does.
 * @returns null when there is no key
 */
export async function readHeldKeys(
  keyFile: string,
): Promise<{ pem: string; keyId: string; keys: StoreKey[] } | null> {
  const pem = await readKeyFile(keyFile);
  if (pem === null) return null;
  const key = keyIn(keyFile, pem);
  return { pem, keyId: key.keyId, keys: await readKeyChain(keyFile, key) };
}

/** The chain of a store's keys as the text of its file. */
export const chainText = (keys: readonly StoreKey[]): string => `${JSON.stringify({ keys }, null, 2)}\n`;

/**
 * Moves a durable key and its chain to paths that do not exist yet; the key last, as it decides which key is in force.
 * @param from a key file with its chain, on the same disk
 */
export async function moveKeysIn(from: string, keyFile: string): Promise<void> {
  await renameDurably(chainFileOf(from), chainFileOf(keyFile));
  await renameDurably(from, keyFile);
}

async function replaceDurably(file: string, draft: string, text: string): Promise<void> {
  // A rotation that was killed may have left its draft; no other program writes it, because the writer holds the file of the next key.
  await rm(draft, { force: true });
  await writeDurably(draft, text);
  await renameDurably(draft, file);
}

/** Writes the chain of public keys next to the private key, and replaces one that is lost or shorter. */
export const writeKeyChain = (keyFile: string, keys: readonly StoreKey[]): Promise<void> =>
  replaceDurably(chainFileOf(keyFile), `${chainFileOf(keyFile)}.next`, chainText(keys));

async function claim(next: string, pem: string): Promise<void> {
  await writeDurably(next, pem).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(
      `${next} is there: another rotation is under way. If none is, one was cut off: remove the file.`,
    );
  });
  await syncFolder(dirname(next));
}

/** The start time of a key is after that of the previous one, even if the clock was ahead when that one was created. */
const laterThan = ({ createdAt }: StoreKey, at: string): string =>
  at > createdAt ? at : new Date(Date.parse(createdAt) + 1).toISOString();

/**
 * Makes a new key, has the current one sign it, and puts it in its place. Its last step, one rename, is the one that
 * counts: whatever stops the program before leaves the old key in force, with its chain; after it, the new one. The old
 * private key is gone then, and its public half stays in the chain.
 * @param at the time, ISO 8601 in UTC
 * @param announce called with the chain just before that step; when it throws, the old key stays in force
 * @returns the chain, which ends in the new key
 * @throws when there is no key yet, its chain is damaged, or another rotation is in progress
 */
export async function rotateSigningKey(
  keyFile: string,
  at: string,
  announce: (chain: readonly StoreKey[]) => Promise<void>,
): Promise<StoreKey[]> {
  const pem = generateSigningKeyPem();
  const next = readSigningKey(pem);
  // Where a link leads to: to replace the link would leave the old private key there.
  const held = await realpath(keyFile);
  const nextFile = nextFileOf(held);
  await claim(nextFile, pem);
  try {
    // Read only now: no other rotation can change it any more.
    const current = keyIn(keyFile, await readFile(keyFile, 'utf8'));
    const existing = await readKeyChain(keyFile, current);
    const chain = appendKey(existing, current, next, laterThan(existing.at(-1) as StoreKey, at));
    await writeKeyChain(keyFile, chain);
    await announce(chain);
    await renameDurably(nextFile, held);
    return chain;
  } catch (error) {
    await rm(nextFile, { force: true });
    throw error;
  }
}
