import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../platform/process-lock.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { writeDurable } from '../platform/write-durable.ts';
import { decrypt, encrypt, keyFor } from './encrypt.ts';
import {
  decryptEntries,
  type Entries,
  encryptEntries,
  type Header,
  headerOf,
  isKeyOf,
  parseVault,
} from './vault-file.ts';
import { findKey, makeKey, type VaultKey } from './vault-key.ts';

/**
 * What an entry is, and whose: for an account the app and the account, as for the authorization server that the user agreed to; for
 * a client the issuer and the redirect URI; for a revocation that is still to be sent the app and a random id; for a secret of the
 * client itself `client` and its name.
 */
export type EntryName = readonly [kind: EntryKind, owner: string, name: string];
export type EntryKind = 'account' | 'server' | 'client' | 'revocation' | 'secret';

/** The entries as they are changed together. */
export type Draft = {
  /** The names of one kind. */
  names(kind: EntryKind): EntryName[];
  get(name: EntryName): string | null;
  /** Replaces an entry; null removes it. */
  set(name: EntryName, text: string | null): void;
};

/**
 * Secrets of the accounts, in one encrypted file. It is for the runtime's own accounts; nothing hands it on. Everything
 * rejects with `vault-locked` when the key is not to be had or is another's, and with `vault-damaged` when the file is not
 * what was written; the file is left as it is then.
 */
export type Vault = {
  /** What is kept under a name, or null. What another process wrote counts at once. */
  read(name: EntryName): Promise<string | null>;
  /** The names of one kind. */
  names(kind: EntryKind): Promise<EntryName[]>;
  /**
   * Changes several entries in one durable write, while nobody else changes anything: after a crash all of the changes are there,
   * or none. Nothing is written when `work` changes nothing, or throws.
   */
  edit<T>(work: (draft: Draft) => T): Promise<T>;
  /**
   * Replaces what is kept under a name while nobody else changes anything; durable when it resolves.
   * @param decide gets what is there, and says what shall be: null removes it
   * @returns what is there afterwards
   */
  change(name: EntryName, decide: (current: string | null) => string | null): Promise<string | null>;
};

export type VaultDeps = {
  /** Folder of the runtime; the vault is a file in it. */
  folder: string;
  /** Where its key comes from: the first that can keep one makes a new vault. */
  keys: readonly VaultKey[];
  system: System;
};

/** A vault while its key is at hand. */
type Unlocked = { header: Header; key: Buffer; entries: Entries };

const FILE = 'vault';
const ID_BYTES = 16;

const damaged = (): RuntimeError => new RuntimeError('vault-damaged');

/** Read at once: some kilobytes take less time than a turn of the thread pool, and each call of a tool needs them. */
function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Tries sources in turn. When none does, the last that failed says why. */
async function firstOf<T>(
  keys: readonly VaultKey[],
  attempt: (source: VaultKey) => Promise<T | null>,
): Promise<T> {
  let reason: unknown;
  for (const source of keys) {
    try {
      const result = await attempt(source);
      if (result !== null) return result;
    } catch (error) {
      reason = error;
    }
  }
  if (reason instanceof RuntimeError) throw reason;
  const why = reason instanceof Error ? `: ${reason.message}` : '';
  throw new RuntimeError('vault-locked', `There is no key for the vault${why}.`);
}

/** Keys that were found, so that neither keyring nor person is asked twice. A search that failed is forgotten. */
function keyFinder(keys: readonly VaultKey[]) {
  const cache = new Map<string, Promise<Buffer>>();
  const find = (header: Header): Promise<Buffer> => {
    const present = cache.get(header.check);
    if (present) return present;
    const search = firstOf(keys, async (source) => {
      const key = await findKey(source, header.id, header.key);
      return key && isKeyOf(header, key) ? key : null;
    });
    cache.set(header.check, search);
    search.catch(() => cache.delete(header.check));
    return search;
  };
  return { find, keep: (header: Header, key: Buffer) => cache.set(header.check, Promise.resolve(key)) };
}

/** New texts by the name of their entry; null for one that is removed. */
type Changes = Map<string, string | null>;

const namesOf = (entries: Entries | undefined, kind: EntryKind): EntryName[] =>
  Array.from(entries?.keys() ?? [], (name) => JSON.parse(name) as EntryName).filter(([one]) => one === kind);

/** Entries as they are being changed. What ends up as it was is no change. */
function draftOf(entries: Entries | undefined, read: (name: string) => string | null) {
  const changes: Changes = new Map();
  const draft: Draft = {
    names(kind) {
      const names = new Map(entries);
      for (const [name, text] of changes) text === null ? names.delete(name) : names.set(name, text);
      return namesOf(names, kind);
    },
    get(name) {
      const key = JSON.stringify(name);
      const changed = changes.get(key);
      return changed === undefined ? read(key) : changed;
    },
    set(name, text) {
      const key = JSON.stringify(name);
      if (text === read(key)) changes.delete(key);
      else changes.set(key, text);
    },
  };
  return { draft, changes };
}

/** Opens the vault of a folder, when it is first needed; it is made when something is first kept. */
export function openVault({ folder, keys, system }: VaultDeps): Vault {
  const file = join(folder, FILE);
  const finder = keyFinder(keys);
  let last: { bytes: Buffer; vault: Unlocked } | null = null;

  const load = async (): Promise<Unlocked | null> => {
    const bytes = bytesOf(file);
    if (bytes === null) return null;
    if (last?.bytes.equals(bytes)) return last.vault;
    const parsed = parseVault(bytes);
    if (!parsed) throw damaged();
    const key = await finder.find(parsed.header);
    const entries = decryptEntries(parsed, key);
    if (!entries) throw damaged();
    const vault = { header: parsed.header, key, entries };
    last = { bytes, vault };
    return vault;
  };

  const make = async (): Promise<Unlocked> => {
    const id = Buffer.from(system.randomBytes(ID_BYTES)).toString('hex');
    const { key, hint } = await firstOf(keys, (source) => makeKey(source, id, system.randomBytes));
    const header = headerOf(id, key, hint);
    finder.keep(header, key);
    return { header, key, entries: new Map() };
  };

  /** Each entry has a key of its own and is bound to its name: put under another one it does not open. */
  const entryOf = ({ header, key, entries }: Unlocked, name: string): string | null => {
    const encrypted = entries.get(name);
    if (encrypted === undefined) return null;
    const text = decrypt(keyFor(key, header.id, `entry:${name}`), Buffer.from(encrypted, 'base64url'), name);
    if (!text) throw damaged();
    return text.toString('utf8');
  };

  const write = async ({ header, key, entries }: Unlocked, changes: Changes): Promise<void> => {
    const next = new Map(entries);
    for (const [name, text] of changes) {
      if (text === null) next.delete(name);
      else {
        const own = keyFor(key, header.id, `entry:${name}`);
        next.set(name, encrypt(own, Buffer.from(text), name, system.randomBytes).toString('base64url'));
      }
    }
    await writeDurable(file, encryptEntries(header, key, next, system.randomBytes));
  };

  const edit = <T>(work: (draft: Draft) => T): Promise<T> =>
    withLock(system, `${file}.lock`, async () => {
      const vault = await load();
      const { draft, changes } = draftOf(vault?.entries, (name) => vault && entryOf(vault, name));
      const result = work(draft);
      if (changes.size > 0) await write(vault ?? (await make()), changes);
      return result;
    });

  return {
    async read(name) {
      const vault = await load();
      return vault && entryOf(vault, JSON.stringify(name));
    },
    names: async (kind) => namesOf((await load())?.entries, kind),
    edit,
    change: (name, decide) =>
      edit((draft) => {
        const next = decide(draft.get(name));
        draft.set(name, next);
        return next;
      }),
  };
}
