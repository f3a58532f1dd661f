import { AsyncLocalStorage } from 'node:async_hooks';
import { type Caller, type LiveStores, requireLive } from '../domain/identity/caller.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

/** The caller of the route that this request changes something with; none for visitors, reads and jobs. */
const acting = new AsyncLocalStorage<Caller>();

/** Runs the rest of a request on behalf of its caller. */
export const actAs = <T>(caller: Caller, work: () => T): T => acting.run(caller, work);

/**
 * Makes every transaction of a request begin with the check that its caller still has access: when a recovery, a suspension, a
 * revocation or a change of role has committed, nothing of before follows it, whichever route it is.
 */
export const withLiveCallers =
  <S extends LiveStores>(unitOfWork: UnitOfWork<S>, clock: Clock): UnitOfWork<S> =>
  (work) => {
    const caller = acting.getStore();
    if (caller === undefined) return unitOfWork(work);
    return unitOfWork(async (stores) => {
      await requireLive(stores, caller, clock());
      return work(stores);
    });
  };
