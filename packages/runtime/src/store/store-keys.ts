import type { DatabaseSync } from 'node:sqlite';
import type { PublicKey } from '@svc/contracts';
import { type KeyRing, keyRing, readPublicKey, verifyKeyChain } from '@svc/signing';
import { inTransaction } from '../library/library-database.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { StoreReader } from './store-reader.ts';

/**
 * The keys of a store that this client trusts. The first one is pinned: handed over by the client, or the first that the
 * store listed when it was first used. Others follow only when the last one signed them, and none is ever forgotten.
 */
export type StoreKeys = {
  /**
   * The keys by which facts of a version may be signed: all of them, as versions outlive the key that signed them.
   * @param keyId the key that is said to have signed; the store is asked for successors when it is none that is known
   * @throws RuntimeError `not-verified` when the store's keys do not follow from the trusted one, and what reading throws
   */
  forFacts(keyId: string, signal?: AbortSignal): Promise<KeyRing>;
  /** The key by which the list of withdrawn versions must be signed: the last one that is known, alone. */
  forRevocations(signal?: AbortSignal): Promise<KeyRing>;
  /** Asks the store for successors. True when there are any. */
  follow(signal?: AbortSignal): Promise<boolean>;
  /**
   * Trusts another key from now on, in the place of all before. Only for a person whom the operator of the store has told
   * so, as after a theft of the key.
   * @param publicKeyPem SubjectPublicKeyInfo of an Ed25519 key in PEM
   */
  repin(publicKeyPem: string): void;
};

export type StoreKeysDeps = {
  storage: LibraryStorage;
  reader: StoreReader;
  /** The key of the store in PEM, when the client knows it; otherwise it is pinned on first use. */
  pin?: string;
};

const refuse = (why: string): RuntimeError => new RuntimeError('not-verified', why);

/** A key in the one spelling of PEM in which it is kept and compared, with its computed id. */
function canonical(pem: string): PublicKey {
  const { keyId, publicKey } = readPublicKey(pem);
  return { keyId, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

const bare = ({ keyId, publicKeyPem }: PublicKey): PublicKey => ({ keyId, publicKeyPem });

/** The keys that a list leads to from a trusted one on; a lone key is its own list. */
function chainFrom(trusted: PublicKey, listed: readonly PublicKey[]): PublicKey[] {
  const [only] = listed;
  if (listed.length === 1 && only && bare(only).publicKeyPem === trusted.publicKeyPem) return [trusted];
  const chain = verifyKeyChain(trusted, listed);
  if (!chain.ok) throw refuse(`${chain.message} It may not be the store it was.`);
  return chain.keys.map(bare);
}

/** What the store says of its keys when nothing of it is known yet. */
function pinFirst(listed: readonly PublicKey[]): PublicKey[] {
  const [first] = listed;
  try {
    if (first && canonical(first.publicKeyPem).keyId === first.keyId) {
      return chainFrom(canonical(first.publicKeyPem), listed);
    }
  } catch (error) {
    if (error instanceof RuntimeError) throw error;
  }
  throw refuse('The key that the store offers is not what it says.');
}

/** The id of the newest key of a store that this client trusts; null when it trusts none yet. */
export function newestKeyId(database: DatabaseSync, store: string): string | null {
  const row = database.prepare('select keys from stores where store = ?').get(store);
  return row ? ((JSON.parse(row.keys as string) as PublicKey[]).at(-1)?.keyId ?? null) : null;
}

/** Keeps and follows the keys of one store. */
export function createStoreKeys({ storage: { database }, reader, pin }: StoreKeysDeps): StoreKeys {
  const { store } = reader;
  const pinned = pin === undefined ? null : canonical(pin);

  function read(): PublicKey[] {
    const row = database.prepare('select keys from stores where store = ?').get(store);
    return row ? (JSON.parse(row.keys as string) as PublicKey[]) : [];
  }

  const write = (keys: readonly PublicKey[]): void =>
    void database
      .prepare('insert or replace into stores (store, keys) values (?, ?)')
      .run(store, JSON.stringify(keys));

  /** Keeps keys in the place of those that were read before, unless another process has changed them since. */
  const keep = (before: readonly PublicKey[], keys: readonly PublicKey[]): boolean =>
    inTransaction(database, () => {
      if (JSON.stringify(read()) !== JSON.stringify(before)) return false;
      write(keys);
      return true;
    });

  const includesPin = (keys: readonly PublicKey[]): boolean =>
    pinned === null || keys.some(({ publicKeyPem }) => publicKeyPem === pinned.publicKeyPem);

  /** Keeps what follows from the kept keys, and gives all of them. */
  async function extend(trusted: readonly PublicKey[], signal?: AbortSignal): Promise<PublicKey[]> {
    const successors = chainFrom(trusted.at(-1) as PublicKey, await reader.keys(signal)).slice(1);
    // A list that begins later than ours could lead back to a key that was retired before it began.
    const isReused = successors.some(({ publicKeyPem }) =>
      trusted.some((key) => key.publicKeyPem === publicKeyPem),
    );
    if (isReused)
      throw refuse('The store comes back to a key that it had retired. It may not be the store it was.');
    const keys = [...trusted, ...successors];
    return successors.length === 0 || keep(trusted, keys) ? keys : extend(read(), signal);
  }

  async function trustedKeys(signal?: AbortSignal): Promise<PublicKey[]> {
    const kept = read();
    if (kept.length === 0) {
      const keys = pinned ? [pinned] : pinFirst(await reader.keys(signal));
      // Of two processes that use a store for the first time one pins, and the other goes by that.
      return keep(kept, keys) ? keys : trustedKeys(signal);
    }
    // A client may be given a successor before it was followed here.
    const keys = includesPin(kept) ? kept : await extend(kept, signal);
    if (!includesPin(keys))
      throw refuse('The key that this client was given does not follow from the one trusted before.');
    return keys;
  }

  async function follow(signal?: AbortSignal): Promise<boolean> {
    const before = await trustedKeys(signal);
    return (await extend(before, signal)).length > before.length;
  }

  return {
    follow,
    async forFacts(keyId, signal) {
      const keys = await trustedKeys(signal);
      if (keys.some((key) => key.keyId === keyId)) return keyRing(keys);
      return keyRing(await extend(keys, signal));
    },
    forRevocations: async (signal) => keyRing((await trustedKeys(signal)).slice(-1)),
    repin(publicKeyPem) {
      const key = canonical(publicKeyPem);
      inTransaction(database, () => write([key]));
    },
  };
}
