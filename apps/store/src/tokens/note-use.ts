import type { TokenStore } from '../domain/identity/token-store.ts';
import type { Clock, UnitOfWork } from '../platform/ambient.ts';

/** Tokens of which a use waits to be noted. Beyond them none is taken up until these are: it will be used again. */
const MOST_WAITING = 10_000;
/** A use is not noted when one was noted so short a time before, in milliseconds: the answer is good to a few minutes. */
const PRECISION_MS = 60_000;

/** Notes which tokens are in use, behind the back of the requests that use them. */
export type UseNotes = {
  /** Takes up that a token was used. Never fails, and takes no time. */
  noteUse(tokenId: string): void;
  /** Writes what was taken up; what cannot be written waits for the next time. */
  writeUses(): Promise<void>;
};

export function createUseNotes({
  unitOfWork,
  clock,
}: {
  unitOfWork: UnitOfWork<{ tokens: TokenStore }>;
  clock: Clock;
}): UseNotes {
  const waiting = new Set<string>();
  const noteUse = (tokenId: string): void => {
    if (waiting.size < MOST_WAITING) waiting.add(tokenId);
  };
  return {
    noteUse,
    async writeUses() {
      if (waiting.size === 0) return;
      const ids = [...waiting];
      waiting.clear();
      const now = clock();
      const since = new Date(now.getTime() - PRECISION_MS).toISOString();
      // In its turn, as two processes that change the same rows in another order could wait for each other.
      const written = unitOfWork(({ tokens }) => tokens.used(ids, now.toISOString(), since));
      await written.catch((error: unknown) => {
        for (const id of ids) noteUse(id);
        throw error;
      });
    },
  };
}
