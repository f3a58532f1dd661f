import type { PeoplePage, PeopleQuery, PersonAdministration, PersonRecord } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { sortedPageOf } from '../../platform/page-of.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { type Person, placeOfPerson } from '../domain/identity/person-store.ts';
import { suspensionBy } from '../domain/identity/suspension.ts';
import { mailUser, notifyRole, type PostDeps, type PostStores } from '../domain/mail/post-mail.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import { requireSettledOwner } from '../publishers/lives.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';

/**
 * Reads one page of persons, newest first by default. New persons do not shift pages.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function findPeople(
  { people }: Pick<PeopleParts, 'people'>,
  { q, sort, direction = sort === 'created' ? 'desc' : 'asc', ...page }: PeopleQuery,
): Promise<PeoplePage> {
  const criteria = { ...page, text: q, sort, direction };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => people.search({ ...criteria, after }),
    (person) => placeOfPerson(person, sort),
  );
  const publishers = await people.publishersOf(items.map(({ id }) => id));
  return {
    people: items.map((person) => ({ ...person, publishers: publishers.get(person.id) ?? [] })),
    nextCursor,
  };
}

/** What the mails about a change of a role need. */
export type RoleDeps = PostDeps & Pick<Parts, 'accessRules' | 'hooks'>;

/**
 * Tells the other administrators, and the user, that a role was changed or an administrator suspended: a stolen account of an
 * administrator, or of one at a provider, cannot do that unseen.
 * @param by the name of the caller, or the id of a provider
 */
export async function tellRoleChange(
  deps: RoleDeps,
  stores: Stores,
  by: string,
  before: Person,
  changed: Person,
): Promise<void> {
  const { id, role, suspended } = changed;
  const isSuspended = before.role === 'administrator' && suspended && !before.suspended;
  if (role === before.role && !isSuspended) return;
  const content = { kind: 'role-changed', detail: { personId: id, role, suspended, by } } as const;
  await notifyRole(deps, stores, 'administrator', content, by);
  if (role === before.role) return;
  const passkey = role === 'person' ? 'any' : deps.accessRules.now().roles;
  await mailUser(deps, stores, changed, { kind: 'own-role-changed', detail: { role, passkey } });
}

/** @throws ApiError forbidden for a new owner of a publisher, about an older owner of it */
async function requireMaySuspend(deps: PostDeps, stores: Stores, caller: Caller, id: string) {
  for (const [slug, role] of await stores.people.membershipsOf(id))
    if (role === 'owner') await requireSettledOwner(deps, stores, caller, slug, id);
}

/** @throws ApiError forbidden when a change took the last administrator */
async function requireAdministrator(
  people: PeopleStores['people'],
  before: Pick<Person, 'role' | 'suspended'>,
): Promise<void> {
  if (before.role !== 'administrator' || before.suspended || (await people.hasAdministrator())) return;
  throw new ApiError(
    'forbidden',
    'This is the last administrator: make another user an administrator first.',
  );
}

/** Tells a user that they are suspended, or no longer. */
async function tellSuspension(
  deps: PostDeps,
  stores: PostStores,
  before: Person,
  { suspended }: Person,
  reason = '',
): Promise<void> {
  if (suspended === before.suspended) return;
  const content = {
    kind: suspended ? 'account-suspended' : 'account-unsuspended',
    detail: { reason },
  } as const;
  await mailUser(deps, stores, { ...before, suspended: false }, content);
}

/**
 * Changes the role of a person, suspends them, or ends a suspension. A suspension ends their sessions immediately and hides their
 * reviews. One administrator always remains, also when two demote each other: transactions run one after the other.
 * @throws ApiError not_found; forbidden for the last administrator
 */
export const changePerson = (
  deps: PeopleParts,
  caller: Caller,
  id: string,
  change: PersonAdministration,
): Promise<PersonRecord> =>
  deps.unitOfWork((stores) => changeWithin(deps, stores, caller, id, change, deps.clock().toISOString()));

/**
 * Changes a person as `changePerson` does, in a transaction.
 * @throws ApiError as `changePerson`
 */
export async function changeWithin(
  deps: RoleDeps,
  stores: Stores,
  caller: Caller,
  id: string,
  { role, suspended, reason }: PersonAdministration,
  at: string,
): Promise<PersonRecord> {
  const { people, sessions, audit } = stores;
  const suspension = suspended === undefined ? undefined : suspensionBy(caller, at, { suspended, reason });
  const change = { ...(role !== undefined && { role }), ...(suspended !== undefined && { suspended }) };
  const before = await people.find(id);
  if (suspended) await requireMaySuspend(deps, stores, caller, id);
  const changed =
    before && (await people.change(id, { ...change, ...(suspension !== undefined && { suspension }) }));
  if (!changed) throw new ApiError('not_found', 'There is no user with this id.');
  if (changed.role !== before.role) await people.beginGrace(at, id);
  await requireAdministrator(people, before);
  if (changed.suspended !== before.suspended) await deps.hooks.personSuspended(stores, id, changed.suspended);
  const sessionsEnded = changed.suspended ? await sessions.endAll(id) : 0;
  const detail = { person: id, ...change, ...(reason !== undefined && { reason }), sessionsEnded };
  await tellSuspension(deps, stores, before, changed, suspension?.reason ?? reason);
  await tellRoleChange(deps, stores, caller.name, before, changed);
  await audit.add(caller, at, { action: 'person.change', detail });
  return changed;
}
