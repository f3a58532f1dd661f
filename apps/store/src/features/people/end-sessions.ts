import type { PersonCaller } from '../../domain/identity/caller.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { PeopleDeps } from './people-stores.ts';

type EndDeps = Pick<PeopleDeps, 'unitOfWork' | 'clock'>;

/**
 * Ends a session of the caller.
 * @throws ApiError not_found
 */
export const endSession = ({ unitOfWork, clock }: EndDeps, caller: PersonCaller, id: string): Promise<void> =>
  unitOfWork(async ({ sessions, audit }) => {
    if (!(await sessions.end(caller.person.id, id)))
      throw new ApiError('not_found', 'There is no such session: it may have ended already.');
    await audit.add(caller, clock().toISOString(), { action: 'session.end', detail: { session: id } });
  });

/**
 * Ends all sessions of the caller, including that of the request.
 * @returns the number of ended sessions
 */
export const endSessions = ({ unitOfWork, clock }: EndDeps, caller: PersonCaller): Promise<number> =>
  unitOfWork(async ({ sessions, audit }) => {
    const ended = await sessions.endAll(caller.person.id);
    await audit.add(caller, clock().toISOString(), { action: 'session.end', detail: { all: true, ended } });
    return ended;
  });
