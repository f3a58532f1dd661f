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
 * @param withTokens also revokes every token that the caller owns or created
 * @returns the number of ended sessions, and of revoked tokens
 */
export const endSessions = (
  { unitOfWork, clock }: EndDeps,
  caller: PersonCaller,
  withTokens: boolean,
): Promise<{ ended: number; tokensRevoked?: number }> =>
  unitOfWork(async ({ sessions, tokens, audit }) => {
    const { id } = caller.person;
    const at = clock().toISOString();
    const ended = await sessions.endAll(id);
    const counts = { ended, ...(withTokens && { tokensRevoked: await tokens.revokeMadeBy(id, at) }) };
    await audit.add(caller, at, { action: 'session.end', detail: { all: true, ...counts } });
    return counts;
  });
