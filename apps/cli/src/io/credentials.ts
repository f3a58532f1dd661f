import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { failed } from '../failure.ts';
import { configFolder } from './config-folder.ts';
import { writeAtomic } from './write-atomic.ts';

/** Where the token for a store lies: here, or in the keyring of the system under the address of the store. */
type Entry = { token: string } | { keyring: true };

/** Entries by the address of the store. */
type Entries = Map<string, Entry>;

/** What is needed to keep tokens. */
type Keeper = Pick<CommandContext, 'env' | 'keyring'>;

/** A token as device sign-in hands it out. Nothing else is kept, so that what is kept is known when it is to be hidden. */
const DEVICE_TOKEN = /^svcd_[0-9A-Za-z]{35}$/;

/** Largest file that is read, in bytes: room for thousands of stores. */
const MAX_BYTES = 1024 * 1024;

/** Permission bits of the group and of everybody else. */
const OTHERS = 0o077;

export const isDeviceToken = (text: string): boolean => DEVICE_TOKEN.test(text);

/** The file of stores with a token. */
export const credentialsFile = (env: CommandContext['env']): string =>
  path.join(configFolder(env), 'credentials.json');

/** A token that others could have read or put there is none to send. Windows has rights of another kind. */
async function requireOwn(file: string, handle: FileHandle): Promise<void> {
  const { mode, uid, size } = await handle.stat();
  if (size > MAX_BYTES) throw failed(`${file} is far too large. Delete it and log in again.`);
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own && uid !== 0) throw failed(`${file} belongs to another user. Delete it.`);
  if ((mode & OTHERS) !== 0) {
    throw failed(
      `${file} may be read or written by others on this machine. Delete it and log in again, or, when nobody has, use chmod 600.`,
    );
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    // A pipe put in place of the file must not stop the program: without O_NONBLOCK opening it waits for a writer.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      await requireOwn(file, handle);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === undefined) throw error;
    throw failed(`The tokens in ${file} cannot be read (${code}).`, { cause: error });
  }
}

function entryOf(value: unknown): Entry {
  const { token, keyring } = value as { token?: unknown; keyring?: unknown };
  if (keyring === true) return { keyring };
  if (typeof token === 'string' && isDeviceToken(token)) return { token };
  throw new TypeError('An entry names no token.');
}

async function readEntries(env: CommandContext['env']): Promise<Entries> {
  const file = credentialsFile(env);
  const text = await textOf(file);
  if (text === null) return new Map();
  try {
    const { stores } = JSON.parse(text) as { stores: Record<string, unknown> };
    return new Map(Object.entries(stores).map(([store, value]) => [store, entryOf(value)]));
  } catch {
    // Not the cause: a message of JSON.parse holds a piece of the text.
    throw failed(`The tokens in ${file} are damaged. Delete the file and log in again.`);
  }
}

/** The file is for the user's eyes only, and replaced whole. Without entries there is none. */
async function writeEntries(env: CommandContext['env'], entries: Entries): Promise<void> {
  const file = credentialsFile(env);
  try {
    if (entries.size === 0) return await rm(file, { force: true });
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const stores = Object.fromEntries(entries);
    await writeAtomic(file, `${JSON.stringify({ stores }, null, 2)}\n`, undefined, { exactMode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw failed(`${file} cannot be written (${code}).`, { cause: error });
  }
}

/** Whether the keyring has kept the token: some take a secret and do not have it afterwards. */
async function keepsToken({ keyring }: Keeper, store: string, token: string): Promise<boolean> {
  try {
    await keyring.set(store, token);
    return (await keyring.get(store)) === token;
  } catch {
    return false;
  }
}

/** The stores that a token is kept for. */
export async function storesWithToken({ env }: Keeper): Promise<string[]> {
  return [...(await readEntries(env)).keys()];
}

/**
 * The token that is kept for a store, or null.
 * @throws CommandError when the file is not fit to be believed, or the keyring that holds the token cannot be read
 */
export async function storedToken({ env, keyring }: Keeper, store: string): Promise<string | null> {
  const entry = (await readEntries(env)).get(store);
  if (entry === undefined) return null;
  if ('token' in entry) return entry.token;
  const token = await keyring.get(store).catch(({ message }: Error) => {
    throw failed(
      `The token for ${store} lies in the system keyring: ${message}. Unlock it, log in again, or set SVC_TOKEN.`,
    );
  });
  return token !== null && isDeviceToken(token) ? token : null;
}

/**
 * Keeps a token for a store, in place of the one that was there: in the system keyring, or else in a file that only the
 * user may read.
 * @returns where it is kept; null is the keyring, a text the path of the file
 * @throws CommandError when it can be kept nowhere
 */
export async function keepToken(keeper: Keeper, store: string, token: string): Promise<string | null> {
  const entries = await readEntries(keeper.env);
  const inKeyring = await keepsToken(keeper, store, token);
  const before = entries.get(store);
  // What the keyring holds from before is no longer looked at. One that cannot be used keeps it.
  if (!inKeyring && before && 'keyring' in before) await keeper.keyring.delete(store).catch(() => {});
  await writeEntries(keeper.env, entries.set(store, inKeyring ? { keyring: true } : { token }));
  return inKeyring ? null : credentialsFile(keeper.env);
}

/**
 * Forgets the token for a store.
 * @returns whether it is gone from the keyring too; one that cannot be used may still hold it
 */
export async function forgetToken({ env, keyring }: Keeper, store: string): Promise<boolean> {
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
