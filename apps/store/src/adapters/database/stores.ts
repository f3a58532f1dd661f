import type { AuditLog } from '../../audit/audit-log.ts';
import type { ListingStore } from '../../catalog/listing-store.ts';
import type { ReviewStore } from '../../moderation/review-store.ts';
import type { UnitOfWork } from '../../platform/ambient.ts';
import type { PublisherStore } from '../../publishers/publisher-store.ts';
import type { BlobLedger } from '../../publishing/blob-ledger.ts';
import type { UploadMarks } from '../../publishing/upload-quota.ts';
import type { AppStore, VersionStore } from '../../publishing/version-store.ts';
import type { RevocationStore } from '../../revocations/revocation-store.ts';
import type { TokenStore } from '../../tokens/token-store.ts';
import { createAppStore } from './app-store.ts';
import { createAuditLog } from './audit-log.ts';
import { createBlobLedger } from './blob-ledger.ts';
import { createListingStore } from './listing-store.ts';
import { createPublisherStore } from './publisher-store.ts';
import { createReviewStore } from './review-store.ts';
import { createRevocationStore } from './revocation-store.ts';
import type { Database } from './schema.ts';
import { createTokenStore } from './token-store.ts';
import { createUploadMarks } from './upload-marks.ts';
import { createVersionStore } from './version-store.ts';

/** Every store of the domain. */
export type Stores = {
  publishers: PublisherStore;
  tokens: TokenStore;
  apps: AppStore;
  versions: VersionStore;
  listings: ListingStore;
  reviews: ReviewStore;
  revocations: RevocationStore;
  uploadMarks: UploadMarks;
  blobLedger: BlobLedger;
  audit: AuditLog;
};

/** Every store over one database, or over one transaction of it. */
export const createStores = (db: Database): Stores => ({
  publishers: createPublisherStore(db),
  tokens: createTokenStore(db),
  apps: createAppStore(db),
  versions: createVersionStore(db),
  listings: createListingStore(db),
  reviews: createReviewStore(db),
  revocations: createRevocationStore(db),
  uploadMarks: createUploadMarks(db),
  blobLedger: createBlobLedger(db),
  audit: createAuditLog(db),
});

/** Begins a piece of work when the one before has ended, however it ended. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Runs work in a transaction: all of it is kept, or none. Transactions run one at a time on either database; those of
 * this process wait for each other here, where waiting takes no connection away from those who only read.
 */
export function createUnitOfWork(db: Database): UnitOfWork<Stores> {
  const next = inTurn();
  return (work) => next(() => db.transaction().execute((tx) => work(createStores(tx))));
}
