import { LIMITS, type Moderators, type PersonRole } from '@svc/contracts';
import { personName } from '../../domain/identity/caller.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';

export type ModeratorsDeps = { people: Pick<PersonStore, 'search'> };

const ROLES: readonly PersonRole[] = ['administrator', 'moderator'];

/** The moderators and administrators of the store, at most a hundred of each role. */
export async function findModerators({ people }: ModeratorsDeps): Promise<Moderators['moderators']> {
  const search = (role: PersonRole) => people.search({ role, after: null, limit: LIMITS.people.maxPage });
  const pages = await Promise.all(ROLES.map(search));
  return pages.flatMap(({ rows }) => rows).map(({ id, name }) => ({ by: personName(id), name }));
}
