import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Events } from '../events/events.ts';
import { withLock } from '../platform/process-lock.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { writeDurable } from '../platform/write-durable.ts';
import {
  decrypt,
  decryptEntries,
  type Entries,
  encrypt,
  encryptEntries,
  type Header,
  headerOf,
  isKeyOf,
  keyFor,
  parseVault,
} from './vault-file.ts';
import { findKey, makeKey, type VaultKey } from './vault-key.ts';

/** Secrets of the client itself, such as keys of model providers. They are stored in the vault, apart from those of accounts. */
export type ClientSecrets = {
  /** Reads a secret; null when there is none. @throws RuntimeError `vault-locked`, `vault-damaged` */
  read(name: string): Promise<string | null>;
  /** Replaces a secret; null deletes it. Durable when it resolves. @throws as `read` */
  write(name: string, text: string | null): Promise<void>;
};

/** Opens the client's secrets in the vault of a folder. It cannot read secrets of accounts. */
export function openClientSecrets(deps: VaultDeps): ClientSecrets {
  const vault = openVault(deps);
  return {
    read: (name) => vault.read(['secret', 'client', name]),
    async write(name, text) {
      await vault.change(['secret', 'client', name], () => text);
    },
  };
}

/**
 * Name of an entry: kind, owner and name. For `account` and `server` (the agreed authorization server) app and account; for `client`
 * issuer and redirect URI; for `revocation` app and a random id; for `secret` the text `client` and a name.
 */
export type EntryName = readonly [kind: EntryKind, owner: string, name: string];
export type EntryKind = 'account' | 'server' | 'client' | 'revocation' | 'secret';

/** The entries during an edit. */
export type Draft = {
  names(kind: EntryKind): EntryName[];
  get(name: EntryName): string | null;
  /** Replaces an entry; null removes it. */
  set(name: EntryName, text: string | null): void;
};

/**
 * The encrypted file with all secrets. It is never exposed to apps or clients. All methods reject with `vault-locked` when the key is
 * missing or wrong, and with `vault-damaged` when the file was modified; the file is then left unchanged.
 */
export type Vault = {
  /** Reads an entry; null when there is none. Reads changes of other processes too. */
  read(name: EntryName): Promise<string | null>;
  names(kind: EntryKind): Promise<EntryName[]>;
  /**
   * Changes several entries in one atomic and durable write, under an exclusive lock. Nothing is written when `work` changes nothing or
   * throws.
   */
  edit<T>(work: (draft: Draft) => T): Promise<T>;
  /**
   * Replaces an entry under an exclusive lock; durable when it resolves.
   * @param decide gets the current text and returns the new one; null deletes the entry
   * @returns the new text
   */
  change(name: EntryName, decide: (current: string | null) => string | null): Promise<string | null>;
  /** Writes the vault as it is, before a request whose answer must not be lost. @throws the errors of the file system */
  requireWritable(): Promise<void>;
};

/** Where the encrypted bytes of a vault are stored. They hold no secret in plain text. */
export type VaultPlace = {
  /** The bytes as they are now; null before the first write. */
  read(): Buffer | null | Promise<Buffer | null>;
  /**
   * Runs work while no other call or process changes the vault.
   * @param work gets a function that replaces the bytes: atomic, and durable when it resolves
   */
  alone<T>(work: (write: (bytes: Buffer) => Promise<void>) => Promise<T>): Promise<T>;
};

export type VaultDeps = {
  /** Folder of the runtime. */
  folder: string;
  /** Default: a file in the folder. */
  place?: VaultPlace | undefined;
  /** Where its key is stored; the first one that can store a key creates the vault. */
  keys: readonly VaultKey[];
  system: System;
  /** Reports a key in a file that the client would have stored elsewhere. */
  events?: Pick<Events, 'emit'>;
};

/** A decrypted vault. */
type Unlocked = { header: Header; key: Buffer; entries: Entries };

const FILE = 'vault';
const ID_BYTES = 16;

const damaged = (): RuntimeError => new RuntimeError('vault-damaged');

/** The file of a folder. */
export function vaultIn(folder: string, system: Pick<System, 'sleep' | 'randomBytes'>): VaultPlace {
  const file = join(folder, FILE);
  return {
    read: () => bytesOf(file),
    alone: (work) => withLock(system, `${file}.lock`, () => work((bytes) => writeDurable(file, bytes))),
  };
}

/** Reads synchronously: for some kilobytes this is faster than the thread pool, and each tool call needs it. */
function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Tries the sources in order. If none works, throws the last error. */
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

/** Caches keys, so that neither keyring nor user is asked twice. Failures are not cached. */
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

/** New texts by entry name; null deletes an entry. */
type Changes = Map<string, string | null>;

const namesOf = (entries: Entries | undefined, kind: EntryKind): EntryName[] =>
  Array.from(entries?.keys() ?? [], (name) => JSON.parse(name) as EntryName).filter(([one]) => one === kind);

/** Creates a draft of the entries. An entry that is set to its old text is no change. */
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

/** Opens the vault lazily; the first write creates it. */
export function openVault({
  folder,
  keys,
  system,
  events,
  place = vaultIn(folder, system),
}: VaultDeps): Vault {
  const finder = keyFinder(keys);
  let last: { bytes: Buffer; vault: Unlocked } | null = null;

  const load = async (): Promise<Unlocked | null> => {
    const bytes = await place.read();
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
    const { key, hint, source } = await firstOf(keys, async (one) => ({
      ...(await makeKey(one, id, system.randomBytes)),
      source: one,
    }));
    if (source.kind === 'key-file' && source !== keys[0])
      events?.emit({ type: 'vault-key-in-file', file: source.file });
    const header = headerOf(id, key, hint);
    finder.keep(header, key);
    return { header, key, entries: new Map() };
  };

  /** Decrypts an entry. Each entry has its own key and is bound to its name, so that entries cannot be swapped. */
  const entryOf = ({ header, key, entries }: Unlocked, name: string): string | null => {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    const text = decrypt(keyFor(key, header.id, `entry:${name}`), Buffer.from(entry, 'base64url'), name);
    if (!text) throw damaged();
    return text.toString('utf8');
  };

  const encrypted = ({ header, key, entries }: Unlocked, changes: Changes = new Map()): Buffer => {
    const next = new Map(entries);
    for (const [name, text] of changes) {
      if (text === null) next.delete(name);
      else {
        const own = keyFor(key, header.id, `entry:${name}`);
        next.set(name, encrypt(own, Buffer.from(text), name, system.randomBytes).toString('base64url'));
      }
    }
    return encryptEntries(header, key, next, system.randomBytes);
  };

  const edit = <T>(work: (draft: Draft) => T): Promise<T> =>
    place.alone(async (write) => {
      const vault = await load();
      const { draft, changes } = draftOf(vault?.entries, (name) => vault && entryOf(vault, name));
      const result = work(draft);
      if (changes.size > 0) await write(encrypted(vault ?? (await make()), changes));
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
    requireWritable: () =>
      place.alone(async (write) => {
        const vault = await load();
        if (vault) await write(encrypted(vault));
      }),
  };
}
