import type { TokenStore } from '../domain/identity/token-store.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

/** Tokens of which a use waits to be noted. Beyond them none is queued until these are: it will be used again. */
const MAX_WAITING = 10_000;
/** A use is not noted when one was noted so short a time before, in milliseconds: the answer is good to a few minutes. */
const PRECISION_MS = 60_000;

/** Notes which tokens are in use, behind the back of the requests that use them. */
export type LastUsedTracker = {
  /** Queues that a token was used. Never fails, and takes no time. */
  recordUse(tokenId: string): void;
  /** Writes what was queued; what cannot be written waits for the next time. */
  writeUses(): Promise<void>;
};

export function createLastUsedTracker({
  unitOfWork,
  clock,
}: {
  unitOfWork: UnitOfWork<{ tokens: TokenStore }>;
  clock: Clock;
}): LastUsedTracker {
  const waiting = new Set<string>();
  const recordUse = (tokenId: string): void => {
    if (waiting.size < MAX_WAITING) waiting.add(tokenId);
  };
  return {
    recordUse,
    async writeUses() {
      if (waiting.size === 0) return;
      const ids = [...waiting];
      waiting.clear();
      const now = clock();
      const since = new Date(now.getTime() - PRECISION_MS).toISOString();
      // In its turn, as two processes that change the same rows in another order could wait for each other.
      const written = unitOfWork(({ tokens }) => tokens.used(ids, now.toISOString(), since));
      await written.catch((error: unknown) => {
        for (const id of ids) recordUse(id);
        throw error;
      });
    },
  };
}
