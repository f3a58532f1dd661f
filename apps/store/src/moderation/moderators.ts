import { LIMITS, type Moderators, type PersonRole } from '@svc/contracts';
import { personName } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';

export type ModeratorsDeps = { people: Pick<PersonStore, 'search'> };

const ROLES: readonly PersonRole[] = ['administrator', 'moderator'];

/** Moderators who may decide about versions; a hundred of each role at most, as more share no desk. */
export async function findModerators({ people }: ModeratorsDeps): Promise<Moderators['moderators']> {
  const search = (role: PersonRole) => people.search({ role, after: null, limit: LIMITS.people.maxPage });
  const found = await Promise.all(ROLES.map(search));
  return found.flat().map(({ id, name }) => ({ by: personName(id), name }));
}
