import type { PublisherMember } from '@svc/contracts';
import type { Member } from './member-store.ts';
import type { Person } from './person-store.ts';

/** A member of a publisher. Only owners and administrators see email addresses. */
export const presentMember = (
  { personId, role, since }: Member,
  person: Person | undefined,
  forOwner: boolean,
): PublisherMember => ({
  personId,
  name: person?.name ?? '',
  email: forOwner ? (person?.email ?? null) : null,
  role,
  since,
});
