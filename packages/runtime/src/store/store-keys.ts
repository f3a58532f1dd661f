import type { DatabaseSync } from 'node:sqlite';
import type { PublicKey } from '@svc/contracts';
import {
  canonicalKey,
  firstKeys,
  followKeys,
  isForeignKeyId,
  type KeyRing,
  keyRing,
  type TrustedKeys,
} from '@svc/signing';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { StoreReader } from './store-reader.ts';

/**
 * The trusted keys of a store. The first one is pinned: given by the client, or trusted on first use. A new key is trusted only if the
 * last one signed it. Keys are never removed.
 */
export type StoreKeys = {
  /**
   * The keys that may have signed a version: all of them, as versions outlive their key.
   * @param keyId the claimed signer; if it is unknown, the store is asked for successors
   * @throws RuntimeError `not-verified` when the chain of keys is broken; and as the reader
   */
  forFacts(keyId: string, signal?: AbortSignal): Promise<KeyRing>;
  /** The key that must have signed the revocation list: only the newest known one. */
  forRevocations(signal?: AbortSignal): Promise<KeyRing>;
  /** The keys that are trusted now, oldest first: none before the first use of a store without a pin. */
  kept(): readonly PublicKey[];
  /** Asks the store for new keys. @returns whether there are any */
  follow(signal?: AbortSignal): Promise<boolean>;
  /**
   * Replaces all trusted keys by another one. Only when the operator of the store told the user to, such as after a key was stolen.
   * @param publicKeyPem SubjectPublicKeyInfo of an Ed25519 key in PEM
   */
  repin(publicKeyPem: string): void;
};

export type StoreKeysDeps = {
  storage: LibraryStorage;
  reader: StoreReader;
  /** The key of the store in PEM. Default: trusted on first use. */
  pin?: string;
};

const refuse = (why: string): RuntimeError => new RuntimeError('not-verified', why);

function trust(found: TrustedKeys): PublicKey[] {
  if (found.ok) return found.keys;
  throw refuse(found.message);
}

/** The id of the newest key of a store that this client trusts; null when it trusts none yet. */
export function newestKeyId(database: DatabaseSync, store: string): string | null {
  const row = database.prepare('select keys from stores where store = ?').get(store);
  return row ? ((JSON.parse(row.keys as string) as PublicKey[]).at(-1)?.keyId ?? null) : null;
}

type IsSigned = (keys: KeyRing) => boolean;

async function signerOf(keys: StoreKeys, isSigned: IsSigned, signal?: AbortSignal): Promise<string | null> {
  const ring = await keys.forRevocations(signal);
  const [keyId] = ring.keys();
  return keyId !== undefined && isSigned(ring) ? keyId : null;
}

/**
 * The id of the key that signed what a store said, if that is the last key of the store. Asks for new keys once if the last known key
 * did not sign it. The id that the store named is not signed: compare this one.
 * @param refusal the message of the error
 * @throws RuntimeError `not-verified` when that key did not sign it
 */
export async function requireSigner(
  keys: StoreKeys,
  isSigned: IsSigned,
  refusal: string,
  signal?: AbortSignal,
): Promise<string> {
  const signer =
    (await signerOf(keys, isSigned, signal)) ??
    ((await keys.follow(signal)) ? await signerOf(keys, isSigned, signal) : null);
  if (signer !== null) return signer;
  throw refuse(refusal);
}

export function createStoreKeys({ storage: { database, transact }, reader, pin }: StoreKeysDeps): StoreKeys {
  const { store } = reader;
  const pinned = pin === undefined ? null : canonicalKey(pin);

  function read(): PublicKey[] {
    const row = database.prepare('select keys from stores where store = ?').get(store);
    return row ? (JSON.parse(row.keys as string) as PublicKey[]) : [];
  }

  function write(keys: readonly PublicKey[]): void {
    database
      .prepare('insert or replace into stores (store, keys) values (?, ?)')
      .run(store, JSON.stringify(keys));
  }

  /** Replaces the stored keys, unless another process has changed them since they were read. */
  const keep = (before: readonly PublicKey[], keys: readonly PublicKey[]): boolean =>
    transact(() => {
      if (JSON.stringify(read()) !== JSON.stringify(before)) return false;
      write(keys);
      return true;
    });

  const includesPin = (keys: readonly PublicKey[]): boolean =>
    pinned === null || keys.some(({ publicKeyPem }) => publicKeyPem === pinned.publicKeyPem);

  async function extend(trusted: readonly PublicKey[], signal?: AbortSignal): Promise<PublicKey[]> {
    const keys = trust(followKeys(trusted, await reader.keys(signal)));
    return keys.length === trusted.length || keep(trusted, keys) ? keys : extend(read(), signal);
  }

  async function trustedKeys(signal?: AbortSignal): Promise<PublicKey[]> {
    const kept = read();
    if (kept.length === 0) {
      const keys = pinned ? [pinned] : trust(firstKeys(await reader.keys(signal)));
      // If two processes use a store for the first time, the first one pins the key.
      return keep(kept, keys) ? keys : trustedKeys(signal);
    }
    // The pinned key may be a successor that is not stored here yet.
    const keys = includesPin(kept) ? kept : await extend(kept, signal);
    if (!includesPin(keys)) throw refuse('The key given to this client is no successor of the trusted one.');
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
      if (isForeignKeyId(keyId) || keys.some((key) => key.keyId === keyId)) return keyRing(keys);
      return keyRing(await extend(keys, signal));
    },
    kept() {
      const keys = read();
      return keys.length === 0 && pinned ? [pinned] : keys;
    },
    forRevocations: async (signal) => keyRing((await trustedKeys(signal)).slice(-1)),
    repin(publicKeyPem) {
      const key = canonicalKey(publicKeyPem);
      transact(() => write([key]));
    },
  };
}
