import type { Publisher, RouteName } from '@svc/contracts';
import { type PersonCaller, requireOwner } from '../../domain/identity/caller.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';
import { requireUnsuspended } from '../../domain/identity/suspension.ts';
import type { Stores } from '../../domain/parts/parts.ts';

/**
 * Finds a publisher that the caller owns now. Call it in the transaction of an owner's action, as the caller may have lost the role
 * since the request arrived.
 * @param route the route of the action, which a suspension of the publisher may stop
 * @throws ApiError not_a_member, also when there is no such publisher; forbidden; publisher_suspended
 */
export async function requireOwned(
  stores: Pick<Stores, 'publishers' | 'people' | 'apps'>,
  caller: PersonCaller,
  slug: string,
  route: RouteName,
): Promise<Publisher> {
  requireOwner({ ...caller, memberships: await stores.people.membershipsOf(caller.person.id) }, slug);
  const publisher = await stores.publishers.find(slug);
  if (!publisher) throw new Error('A person is a member of a publisher that does not exist.');
  await requireUnsuspended(stores, route, { publisher: slug });
  return publisher;
}

/**
 * Whether a user is an owner of a publisher now, and not suspended. What an owner began for another user to finish (an invitation, an
 * offer) has no effect otherwise, however the ownership ended.
 */
export const isActiveOwner = async (
  people: Pick<PersonStore, 'ownerships'>,
  id: string,
  slug: string,
): Promise<boolean> => (await people.ownerships([id])).some(({ publisher }) => publisher === slug);
