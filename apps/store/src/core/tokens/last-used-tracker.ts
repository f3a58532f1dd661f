import type { UnitOfWork } from '../../platform/system.ts';
import type { TokenStore } from '../domain/identity/token-store.ts';
import type { Parts } from '../domain/parts/parts.ts';

/** The most queued tokens. Uses of further tokens are dropped until the queue is written. */
const MAX_QUEUED = 10_000;
/** The precision of the last use, in milliseconds: later uses within this time are not recorded. */
const PRECISION_MS = 60_000;

/** Records the last use of tokens, in the background. */
export type LastUsedTracker = Pick<Parts, 'recordUse'> & {
  /** Writes the queued uses. Those that cannot be written stay in the queue. */ writeUses(): Promise<void>;
};

export function createLastUsedTracker({
  unitOfWork,
  clock,
}: Pick<Parts, 'clock'> & { unitOfWork: UnitOfWork<{ tokens: TokenStore }> }): LastUsedTracker {
  const queue = new Set<string>();
  const recordUse = (tokenId: string): void => {
    if (queue.size < MAX_QUEUED) queue.add(tokenId);
  };
  return {
    recordUse,
    async writeUses() {
      if (queue.size === 0) return;
      const ids = [...queue];
      queue.clear();
      const now = clock();
      const since = new Date(now.getTime() - PRECISION_MS).toISOString();
      // In a unit of work, as two processes that update the same rows in another order could deadlock.
      const written = unitOfWork(({ tokens }) => tokens.used(ids, now.toISOString(), since));
      await written.catch((error: unknown) => {
        for (const id of ids) recordUse(id);
        throw error;
      });
    },
  };
}
