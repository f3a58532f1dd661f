import type { PeoplePage, PeopleQuery, PersonAdministration, PersonRecord } from '@svc/contracts';
import type { Caller } from '../../domain/identity/caller.ts';
import { placeOfPerson } from '../../domain/identity/person-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { sortedPageOf } from '../../platform/page-of.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type HideStores, hideReviewsOf } from '../ratings/hide-reviews.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';

export type ChangePersonDeps = Pick<PeopleDeps, 'clock'> & {
  unitOfWork: UnitOfWork<PeopleStores & HideStores>;
};

/**
 * Reads one page of persons, newest first by default. New persons do not shift pages.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function findPeople(
  { people }: Pick<PeopleDeps, 'people'>,
  { q, role, suspended, sort, direction = sort === 'created' ? 'desc' : 'asc', ...page }: PeopleQuery,
): Promise<PeoplePage> {
  const criteria = { beginning: q, role, suspended, sort, direction, limit: page.limit };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => people.search({ ...criteria, after }),
    (person) => placeOfPerson(person, sort),
  );
  return { people: items, nextCursor };
}

/**
 * Changes the role of a person, suspends them, or ends a suspension. A suspension ends their sessions immediately and hides their
 * reviews. One administrator always remains, also when two demote each other: transactions run one after the other.
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
    if (!changed) throw new ApiError('not_found', 'There is no user with this id.');
    const wasAdministrator = before.role === 'administrator' && !before.suspended;
    if (wasAdministrator && !(await people.hasAdministrator()))
      throw new ApiError(
        'forbidden',
        'This is the last administrator: make another user an administrator first.',
      );
    if (changed.suspended !== before.suspended) await hideReviewsOf(stores, id, changed.suspended);
    const sessionsEnded = changed.suspended ? await sessions.endAll(id) : 0;
    const detail = { person: id, ...change, sessionsEnded };
    await audit.add(caller, clock().toISOString(), { action: 'person.change', detail });
    return changed;
  });
};
