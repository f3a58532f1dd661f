import type { StoreKey } from '@svc/contracts';
import type { Parts } from '../core/domain/parts/parts.ts';
import { restoreChain } from '../core/keys/check-keys.ts';
import type { KeyChainStore } from '../core/keys/key-chain-store.ts';
import type { RollbackWatch } from '../core/operations/rollback-watch.ts';
import { type OwnerDeps, reportMissing } from '../core/publishing/blob-owner.ts';
import type { RevocationListing } from '../core/revocations/revocation-list.ts';
import type { Invalidation } from '../platform/invalidation.ts';
import type { DatabaseWatch } from './own-database.ts';

/** How long the bundles are not looked for, in milliseconds. */
const BUNDLES_MS = 60 * 60_000;

export type DataCheckDeps = Pick<Parts, 'clock' | 'log'> &
  Pick<OwnerDeps, 'blobs' | 'blobLedger'> & {
    signingKeys: Pick<KeyChainStore, 'known' | 'record'>;
    keyChain: readonly StoreKey[];
    signingKeyFile: string;
    revocationList: Pick<RevocationListing, 'open' | 'renew'>;
    rollbacks: RollbackWatch;
    database: Pick<DatabaseWatch, 'onReconnect'>;
    invalidation: Pick<Invalidation, 'onOlder'>;
  };

/**
 * The checks that a store makes of its data when it starts, and makes again while it runs: at each new connection to the database, when
 * the database has fewer changes than before, and once a minute. An older copy of the database, as after a failover to a lagging replica,
 * is therefore noticed, and what must not be lost is restored.
 */
export function createDataChecks(deps: DataCheckDeps) {
  const { clock, rollbacks, revocationList } = deps;
  let lookedAt = clock().getTime();

  async function lookForBundles(): Promise<void> {
    const now = clock().getTime();
    if (Math.abs(now - lookedAt) < BUNDLES_MS) return;
    lookedAt = now;
    await reportMissing(deps);
  }

  return {
    /** The checks of the start. @throws when what is kept beside the bundles cannot be read */
    async open(): Promise<void> {
      await revocationList.open();
      await rollbacks.check();
    },
    /** The checks of a running store. @throws when the database is another one, or a part does not answer */
    async run(): Promise<void> {
      if (await restoreChain(deps, deps.keyChain, deps.signingKeyFile)) rollbacks.noticed();
      await revocationList.renew();
      await rollbacks.check();
      await lookForBundles();
    },
    /** Records what was published since. */
    follow: (): Promise<void> => rollbacks.follow(),
    /** Registers a listener for a reason to make the checks at once. */
    onReason(listener: () => void): void {
      deps.database.onReconnect(listener);
      deps.invalidation.onOlder(listener);
    },
  };
}

export type DataChecks = ReturnType<typeof createDataChecks>;
