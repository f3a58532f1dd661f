import type { PeoplePage, PeopleQuery, PersonAdministration, PersonRecord } from '@svc/contracts';
import { z } from 'zod';
import type { Caller } from '../domain/identity/caller.ts';
import { ApiError } from '../platform/api-error.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { hideReviewsOf, type WithholdStores } from '../ratings/hide-reviews.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';

export type ChangePersonDeps = Pick<PeopleDeps, 'clock'> & {
  unitOfWork: UnitOfWork<PeopleStores & WithholdStores>;
};

/** Opaque to clients: when the last person of a page came, and their id. */
const Cursor = z.tuple([z.iso.datetime(), z.string().max(200)]);

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

/**
 * One page of people, the newest first. Who comes meanwhile moves no page.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function findPeople(
  { people }: Pick<PeopleDeps, 'people'>,
  { q, role, suspended, cursor, limit }: PeopleQuery,
): Promise<PeoplePage> {
  const [createdAt, id] = cursor === undefined ? [] : readCursor(Cursor, cursor, NOT_OURS);
  const after = createdAt !== undefined && id !== undefined ? { createdAt, id } : null;
  const found = await people.search({ beginning: q, role, suspended, after, limit });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = found.length > page.length && last ? writeCursor([last.createdAt, last.id]) : null;
  return { people: page, nextCursor };
}

/**
 * Gives a person a role, suspends them, or ends that. Suspending ends their sessions at once, and takes what
 * they said of apps out of sight. There is always an
 * administrator, also when two try to end each other: transactions run one after the other.
 * @throws ApiError not_found; forbidden for the last administrator
 */
export const changePerson = (
  { unitOfWork, clock }: ChangePersonDeps,
  caller: Caller,
  id: string,
  { role, suspended }: PersonAdministration,
): Promise<PersonRecord> => {
  const change = { ...(role !== undefined && { role }), ...(suspended !== undefined && { suspended }) };
  return unitOfWork(async (stores) => {
    const { people, sessions, audit } = stores;
    const before = await people.find(id);
    const changed = before && (await people.change(id, change));
    if (!changed) throw new ApiError('not_found', 'There is no person with this id.');
    const wasOne = before.role === 'administrator' && !before.suspended;
    if (wasOne && !(await people.hasAdministrator()))
      throw new ApiError('forbidden', 'This is the last administrator: make another person one first.');
    if (changed.suspended !== before.suspended) await hideReviewsOf(stores, id, changed.suspended);
    const sessionsEnded = changed.suspended ? await sessions.endAll(id) : 0;
    const detail = { person: id, ...change, sessionsEnded };
    await audit.add(caller, clock().toISOString(), { action: 'person.change', detail });
    return changed;
  });
};
