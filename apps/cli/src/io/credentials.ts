import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { openPrivateFolder, PrivateFolderError } from '@svc/bundle/private-files';
import type { CommandContext } from '../command-record.ts';
import { failed } from '../failure.ts';
import { writeAtomic } from './write-atomic.ts';

/** The user's configuration folder. A relative XDG_CONFIG_HOME is ignored (XDG Base Directory Specification). */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(env.HOME || homedir(), '.config'), 'svc');
}

/**
 * Creates the configuration folder, or makes it private, before a file is written in it.
 * @throws CommandError when other users can change what is in it
 */
export function openConfigFolder(env: Readonly<Record<string, string | undefined>>): void {
  try {
    openPrivateFolder(configFolder(env));
  } catch (error) {
    throw error instanceof PrivateFolderError ? failed(error.message) : error;
  }
}

/** The entry of a store: its token, or `keyring: true` when the system keyring holds it under the URL of the store. */
type Entry = { token: string } | { keyring: true };

type Entries = Map<string, Entry>;

/** Where tokens are stored: the configuration folder and the keyring. */
type TokenStorage = Pick<CommandContext, 'env' | 'keyring'>;

/** A token from device sign-in. Only such tokens are saved, so that all saved tokens can be recognised and hidden in output. */
const DEVICE_TOKEN = /^svcd_[0-9A-Za-z]{35}$/;

/** Maximum size of the file in bytes: enough for thousands of stores. */
const MAX_BYTES = 1024 * 1024;

/** Permission bits of the group and of others. */
const OTHERS = 0o077;

export const isDeviceToken = (text: string): boolean => DEVICE_TOKEN.test(text);

/** The file of stores with a token. */
export const credentialsFile = (env: CommandContext['env']): string =>
  path.join(configFolder(env), 'credentials.json');

/** Refuses a file that other users could read or write. Windows has no such permission bits. */
async function requirePrivateFile(file: string, handle: FileHandle): Promise<void> {
  const { mode, uid, size } = await handle.stat();
  if (size > MAX_BYTES) throw failed(`${file} is too large. Delete it and log in again.`);
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own && uid !== 0) throw failed(`${file} belongs to another user. Delete it.`);
  if ((mode & OTHERS) !== 0) {
    throw failed(
      `${file} is readable or writable by other users of this machine. Delete it and log in again, or run chmod 600 on it if no one else had access.`,
    );
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    // If the file was replaced by a pipe, opening it without O_NONBLOCK would wait for a writer.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      await requirePrivateFile(file, handle);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === undefined) throw error;
    throw failed(`Cannot read the tokens in ${file} (${code}).`, { cause: error });
  }
}

function entryOf(value: unknown): Entry {
  const { token, keyring } = value as { token?: unknown; keyring?: unknown };
  if (keyring === true) return { keyring };
  if (typeof token === 'string' && isDeviceToken(token)) return { token };
  throw new TypeError('An entry has no token.');
}

async function readEntries(env: CommandContext['env']): Promise<Entries> {
  const file = credentialsFile(env);
  const text = await textOf(file);
  if (text === null) return new Map();
  try {
    const { stores } = JSON.parse(text) as { stores: Record<string, unknown> };
    return new Map(Object.entries(stores).map(([store, value]) => [store, entryOf(value)]));
  } catch {
    // Without the cause: the message of JSON.parse quotes a part of the file.
    throw failed(`The token file ${file} is corrupt. Delete it and log in again.`);
  }
}

/** Replaces the file atomically, readable only by the user. Without entries, deletes it. */
async function writeEntries(env: CommandContext['env'], entries: Entries): Promise<void> {
  const file = credentialsFile(env);
  try {
    if (entries.size === 0) return await rm(file, { force: true });
    openConfigFolder(env);
    const stores = Object.fromEntries(entries);
    await writeAtomic(file, `${JSON.stringify({ stores }, null, 2)}\n`, undefined, { exactMode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw failed(`Cannot write ${file} (${code}).`, { cause: error });
  }
}

/** Saves a token in the keyring, and reads it back: some keyrings accept a secret without storing it. */
async function trySaveInKeyring({ keyring }: TokenStorage, store: string, token: string): Promise<boolean> {
  try {
    await keyring.set(store, token);
    return (await keyring.get(store)) === token;
  } catch {
    return false;
  }
}

export async function storesWithToken({ env }: TokenStorage): Promise<string[]> {
  return [...(await readEntries(env)).keys()];
}

/**
 * The saved token of a store, or null.
 * @throws CommandError when the file is corrupt or not private, or the keyring that holds the token cannot be read
 */
export async function storedToken({ env, keyring }: TokenStorage, store: string): Promise<string | null> {
  const entry = (await readEntries(env)).get(store);
  if (entry === undefined) return null;
  if ('token' in entry) return entry.token;
  const token = await keyring.get(store).catch(({ message }: Error) => {
    throw failed(
      `Cannot read the token for ${store} from the system keyring: ${message}. Unlock the keyring, log in again, or set SVC_TOKEN.`,
    );
  });
  return token !== null && isDeviceToken(token) ? token : null;
}

/**
 * Saves the token of a store and replaces an earlier one: in the system keyring, or else in a file that only the user can
 * read.
 * @returns the path of the file, or null for the keyring
 * @throws CommandError when it cannot be saved
 */
export async function saveToken(storage: TokenStorage, store: string, token: string): Promise<string | null> {
  const entries = await readEntries(storage.env);
  const inKeyring = await trySaveInKeyring(storage, store, token);
  const before = entries.get(store);
  // The old token in the keyring is no longer used. A keyring that is not available keeps it.
  if (!inKeyring && before && 'keyring' in before) await storage.keyring.delete(store).catch(() => {});
  await writeEntries(storage.env, entries.set(store, inKeyring ? { keyring: true } : { token }));
  return inKeyring ? null : credentialsFile(storage.env);
}

/**
 * Deletes the token of a store.
 * @returns whether it is deleted from the keyring too; a keyring that is not available may still hold it
 */
export async function deleteToken({ env, keyring }: TokenStorage, store: string): Promise<boolean> {
  const entries = await readEntries(env);
  const entry = entries.get(store);
  entries.delete(store);
  await writeEntries(env, entries);
  if (entry === undefined || 'token' in entry) return true;
  return keyring.delete(store).then(
    () => true,
    () => false,
  );
}
