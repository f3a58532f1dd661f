import type { Publisher } from '@svc/contracts';
import { type PersonCaller, requireOwner } from '../../domain/identity/caller.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';
import type { PublisherStore } from '../../domain/identity/publisher-store.ts';
import { ApiError } from '../../platform/api-error.ts';

export type OwnerStores = { publishers: PublisherStore; people: PersonStore };

/**
 * Finds a publisher that the caller owns now. Call it in the transaction of an owner's action, as the caller may have lost the role
 * since the request arrived.
 * @throws ApiError not_a_member, also when there is no such publisher; forbidden
 */
export async function requireOwned(
  { publishers, people }: OwnerStores,
  caller: PersonCaller,
  slug: string,
): Promise<Publisher> {
  requireOwner({ ...caller, memberships: await people.membershipsOf(caller.person.id) }, slug);
  const publisher = await publishers.find(slug);
  if (!publisher) throw new Error('A person is a member of a publisher that does not exist.');
  return publisher;
}

/**
 * Refuses a suspended publisher.
 * @throws ApiError publisher_suspended
 */
export function requireActive({ slug, suspended }: Publisher): void {
  if (suspended) throw new ApiError('publisher_suspended', `The publisher ${slug} is suspended.`);
}
