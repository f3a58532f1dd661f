import { createSharedStores } from '../../core/domain/parts/parts.ts';
import { createInstallStore } from '../../core/installs/install-store.ts';
import { createKeyChainStore } from '../../core/keys/key-chain-store.ts';
import { createBacklogStore } from '../../core/operations/backlog-store.ts';
import { createLeavingStore } from '../../core/people/leaving-store.ts';
import { createOwnAppStore } from '../../core/publishers/apps/own-app-store.ts';
import { createBlobLedger } from '../../core/publishing/blob-ledger.ts';
import { createRelayStore } from '../../core/relay/relay-store.ts';
import { createRevocationStore } from '../../core/revocations/revocation-store.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { UnitOfWork } from '../../platform/system.ts';

/** Creates all stores on a database, or on a transaction of it. */
export const createStores = (db: Database) => ({
  ...createSharedStores(db),
  leaving: createLeavingStore(db),
  ownApps: createOwnAppStore(db),
  installs: createInstallStore(db),
  revocations: createRevocationStore(db),
  signingKeys: createKeyChainStore(db),
  relay: createRelayStore(db),
  blobLedger: createBlobLedger(db),
  backlog: createBacklogStore(db),
});

export type Stores = ReturnType<typeof createStores>;

/** Runs tasks one after another: each starts when the previous one has settled. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Runs work in a transaction. Transactions run one at a time on either database. Those of this process wait for each other here, so
 * that a waiting transaction does not occupy a connection that readers need.
 */
export function createUnitOfWork(db: Database): UnitOfWork<Stores> {
  const next = inTurn();
  return (work) => next(() => db.transaction().execute((tx) => work(createStores(tx))));
}
