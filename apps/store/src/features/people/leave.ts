import type { PersonalExport } from '@svc/contracts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { requireActiveOwner } from '../publishers/members.ts';
import type { RatingStore } from '../ratings/rating-store.ts';
import { adjustHistogram, starsOf } from '../ratings/write-review.ts';
import type { LeavingStore } from './leaving-store.ts';
import { type MeDeps, presentMe } from './me.ts';

type LeaveStores = Pick<Parts, 'people' | 'members' | 'appStats' | 'listings' | 'audit'> & {
  ratings: RatingStore;
  leaving: LeavingStore;
};

export type LeaveDeps = Omit<MeDeps, 'unitOfWork'> & {
  leaving: LeavingStore;
  unitOfWork: UnitOfWork<LeaveStores>;
};

/** What the store has about the caller: the account, and what it did. Secrets are not part of it. */
export async function exportAccount(deps: LeaveDeps, caller: PersonCaller): Promise<PersonalExport> {
  const { csrf: _csrf, providers: _providers, ...account } = await presentMe(deps, caller, '');
  return {
    exportedAt: deps.clock().toISOString(),
    account,
    ...(await deps.leaving.records(caller.person.id)),
  };
}

/** Removes the public reviews of a user, with their stars. */
async function removeReviews(stores: LeaveStores, personId: string, at: string): Promise<void> {
  for (const appId of await stores.leaving.rated(personId)) {
    const rating = await stores.ratings.of(personId, appId);
    if (!rating) continue;
    if (rating.hidden) await stores.ratings.blank(rating.id, at);
    else await stores.ratings.remove(rating.id);
    await adjustHistogram(stores, appId, starsOf(rating), null);
  }
}

/**
 * Deletes the account of the caller. What it did stays under a random id.
 * @throws ApiError last_owner when a publisher would have no owner, forbidden for the last administrator
 */
export async function deleteAccount(deps: LeaveDeps, caller: PersonCaller): Promise<void> {
  const mentions = await deps.leaving.mentions(caller.person);
  return deps.unitOfWork(async (stores) => {
    const { id } = caller.person;
    const person = await stores.people.find(id);
    if (!person) throw new ApiError('unauthorized', 'This account does not exist any more.');
    for (const [slug, role] of await stores.people.membershipsOf(id)) {
      await stores.members.remove(slug, id);
      if (role === 'owner') await requireActiveOwner(stores, slug);
    }
    if (person.role === 'administrator' && !(await stores.people.hasAdministrator(id)))
      throw new ApiError(
        'forbidden',
        'You are the last administrator: make another user an administrator first.',
      );
    const at = deps.clock().toISOString();
    await removeReviews(stores, id, at);
    await stores.audit.add(caller, at, { action: 'person.delete', detail: { person: id } });
    await stores.leaving.forget(person, mentions);
  });
}
