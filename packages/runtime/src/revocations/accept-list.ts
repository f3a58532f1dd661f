import type { RevocationList } from '@svc/contracts';
import { revocationsHold } from '@svc/signing';
import { inTransaction } from '../library/library-database.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { lastSignedAt, writeWithdrawals } from '../library/withdrawals.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';
import type { StoreKeys } from '../store/store-keys.ts';

export type AcceptDeps = { storage: LibraryStorage; keys: StoreKeys; store: string };

/** Whether the last key of the store signed a list; when not, its successors are asked for once. */
async function isSigned(keys: StoreKeys, list: RevocationList, signal?: AbortSignal): Promise<boolean> {
  if (revocationsHold(list, await keys.forRevocations(signal))) return true;
  return (await keys.follow(signal)) && revocationsHold(list, await keys.forRevocations(signal));
}

/**
 * Takes a list of withdrawn versions over: what it names is off from then on.
 * @throws RuntimeRefusal `not-verified` when the current key of the store did not sign it, `rolled-back` when it is older
 *   than the last one that was accepted
 */
export async function acceptList(
  { storage: { database }, keys, store }: AcceptDeps,
  list: RevocationList,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await isSigned(keys, list, signal))) {
    throw new RuntimeRefusal(
      'not-verified',
      'The list of withdrawn versions is not signed by the key of the store.',
    );
  }
  inTransaction(database, () => {
    const last = lastSignedAt(database, store);
    // Of the same moment it may be a newer one: a store whose clock was set back signs with the time of its last list.
    if (last !== null && list.signedAt < last) {
      throw new RuntimeRefusal('rolled-back', undefined, { detail: { signedAt: list.signedAt, last } });
    }
    writeWithdrawals(database, store, list);
  });
}
