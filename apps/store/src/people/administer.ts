import type { PeoplePage, PeopleQuery, PersonAdministration, PersonRecord } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import { placeOfPerson } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { sortedPageOf } from '../platform/page-of.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { hideReviewsOf, type WithholdStores } from '../ratings/hide-reviews.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';

export type ChangePersonDeps = Pick<PeopleDeps, 'clock'> & {
  unitOfWork: UnitOfWork<PeopleStores & WithholdStores>;
};

/**
 * One page of people, the newest first unless asked otherwise. Who comes meanwhile moves no page.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function findPeople(
  { people }: Pick<PeopleDeps, 'people'>,
  { q, role, suspended, sort, direction = sort === 'created' ? 'desc' : 'asc', ...page }: PeopleQuery,
): Promise<PeoplePage> {
  const wanted = { beginning: q, role, suspended, sort, direction, limit: page.limit };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => people.search({ ...wanted, after }),
    (person) => placeOfPerson(person, sort),
  );
  return { people: items, nextCursor };
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
