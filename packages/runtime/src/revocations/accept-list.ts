import type { DatabaseSync } from 'node:sqlite';
import type { RevocationList } from '@svc/contracts';
import { type AcceptedList, entriesHashOf, mayReplace, verifyRevocationList } from '@svc/signing';
import { inTransaction } from '../library/library-database.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { lastListOf, writeWithdrawals } from '../library/withdrawals.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { newestKeyId, type StoreKeys } from '../store/store-keys.ts';

/** The id of the key that signed a list, if that is the last key of the store. */
async function signerOf(keys: StoreKeys, list: RevocationList, signal?: AbortSignal): Promise<string | null> {
  const ring = await keys.forRevocations(signal);
  const [keyId] = ring.keys();
  return keyId !== undefined && verifyRevocationList(list, ring) ? keyId : null;
}

/** The same, after asking for new keys once if the last known key did not sign the list. */
async function signerOrSuccessorOf(
  keys: StoreKeys,
  list: RevocationList,
  signal?: AbortSignal,
): Promise<string | null> {
  const signer = await signerOf(keys, list, signal);
  if (signer !== null) return signer;
  return (await keys.follow(signal)) ? signerOf(keys, list, signal) : null;
}

/** The last accepted list; earlier versions of the runtime stored only its time. */
function lastAccepted(database: DatabaseSync, store: string, next: AcceptedList): AcceptedList | null {
  const last = lastListOf(database, store);
  if (!last) return null;
  const { signedAt, entriesHash, keyId } = last;
  return { signedAt, entriesHash: entriesHash ?? next.entriesHash, keyId: keyId ?? next.keyId };
}

/**
 * Accepts a revocation list, and switches off the versions on it.
 * @throws RuntimeError `not-verified` when the current key of the store did not sign it; `rolled-back` when it is older than the last
 *   accepted list, or has the same time with other entries
 */
export async function acceptList(
  {
    system,
    storage: { database },
    keys,
    store,
  }: { system: Pick<System, 'now'>; storage: LibraryStorage; keys: StoreKeys; store: string },
  list: RevocationList,
  signal?: AbortSignal,
): Promise<void> {
  const keyId = await signerOrSuccessorOf(keys, list, signal);
  if (keyId === null) {
    throw new RuntimeError('not-verified', 'The revocation list is not signed by the key of the store.');
  }
  const next = { signedAt: list.signedAt, entriesHash: entriesHashOf(list), keyId };
  inTransaction(database, () => {
    const last = lastAccepted(database, store, next);
    // Another process may have stored a newer key in the meantime.
    if (newestKeyId(database, store) !== keyId || !mayReplace(next, last)) {
      const detail = { signedAt: list.signedAt, last: last?.signedAt ?? null };
      throw new RuntimeError('rolled-back', undefined, { detail });
    }
    const isSame = last?.signedAt === list.signedAt && last.keyId === keyId;
    const acceptedAt = isSame ? (lastListOf(database, store)?.acceptedAt ?? null) : system.now();
    writeWithdrawals(database, store, list, { ...next, acceptedAt });
  });
}
