import type { Publisher } from '@svc/contracts';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { InvitationRecord, InvitationStore } from '../../domain/identity/invitation-store.ts';
import type { MemberStore } from '../../domain/identity/member-store.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';
import { holds } from '../../platform/terms.ts';
import { type OwnerStores, requireActive } from '../owner.ts';
import type { InvitationLinks } from './link.ts';

type FindStores = OwnerStores & { invitations: InvitationStore };

type FindDeps = { invitationLinks: InvitationLinks; clock: Clock };

export type AcceptDeps = FindDeps & {
  unitOfWork: UnitOfWork<FindStores & { members: MemberStore; audit: AuditLog }>;
};

/** An invitation, to what, and by whom. */
export type OpenInvitation = { invitation: InvitationRecord; publisher: Publisher; inviter: Person };

/** Whatever is wrong with a link, the answer is one: it tells nobody which invitations there were. */
const gone = () =>
  new ApiError(
    'not_found',
    'This invitation is not there: it was accepted, taken back or has expired, or the link is not whole. Ask for a new one.',
  );

/**
 * The invitation that a link leads to, while it can be accepted.
 * @throws ApiError not_found
 */
export async function findInvitation(
  { invitations, publishers, people, invitationLinks, clock }: FindDeps & FindStores,
  link: string,
): Promise<OpenInvitation> {
  const id = invitationLinks.idIn(link);
  const invitation = id === null ? null : await invitations.find(id);
  if (!invitation || !holds('invitations.expires_at', invitation.expiresAt, clock().toISOString()))
    throw gone();
  const publisher = await publishers.find(invitation.publisher);
  const inviter = await people.find(invitation.invitedBy);
  if (!publisher || !inviter || inviter.suspended) throw gone();
  return { invitation, publisher, inviter };
}

/** Whether a link leads to an invitation that can be accepted. */
export const isOpenInvitation = (deps: FindDeps & FindStores, link: string): Promise<boolean> =>
  findInvitation(deps, link).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError) return false;
      throw error;
    },
  );

/**
 * Makes a person a member, by a link that works once: of two who come at once with the same, the second finds it gone.
 * @throws ApiError not_found, publisher_suspended, already_exists
 */
export async function acceptInvitation(
  deps: AcceptDeps,
  caller: PersonCaller,
  link: string,
): Promise<OpenInvitation> {
  return deps.unitOfWork(async (stores) => {
    const open = await findInvitation({ ...deps, ...stores }, link);
    const { invitation, publisher } = open;
    requireActive(publisher);
    if (!(await stores.invitations.remove(invitation.id))) throw gone();
    const since = deps.clock().toISOString();
    const personId = caller.person.id;
    const { slug } = publisher;
    const { role } = invitation;
    if (!(await stores.members.add({ publisher: slug, personId, role, since }))) {
      throw new ApiError('already_exists', `You act for the publisher ${slug} already.`);
    }
    const detail = { personId, role, invitation: invitation.id, invitedBy: invitation.invitedBy };
    await stores.audit.add(caller, since, { action: 'member.add', publisher: slug, detail });
    return open;
  });
}
