import type { Publisher } from '@svc/contracts';
import { ApiError, invalidLink } from '../../../platform/api-error.ts';
import { type Mac, sameSecret } from '../../../platform/secret.ts';
import type { Clock } from '../../../platform/system.ts';
import { isActive } from '../../../platform/terms.ts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { InvitationRecord } from '../../domain/identity/invitation-store.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { requireUnsuspended } from '../../domain/identity/suspension.ts';
import { recordPublisherChange } from '../../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Stores } from '../../domain/parts/parts.ts';
import { isActiveOwner } from '../lives.ts';

/** @param mac a MAC for this purpose only */
export const invitationLinks = (baseUrl: string, mac: Mac) => ({
  /** The URL that accepts an invitation. */
  url: (id: string) => `${baseUrl}/invitations/${id}.${mac(id)}`,
  /** The id in the last part of such a URL; null when its MAC is wrong. */
  idIn(link: string) {
    const dot = link.lastIndexOf('.');
    const id = link.slice(0, Math.max(dot, 0));
    return sameSecret(link.slice(dot + 1), mac(id)) ? id : null;
  },
});

/** The links of invitations: an id and a MAC, so that a copy of the database is not enough to create one. */
export type InvitationLinks = ReturnType<typeof invitationLinks>;

type FindStores = Pick<Stores, 'publishers' | 'people' | 'invitations'>;

type FindDeps = { invitationLinks: InvitationLinks; clock: Clock };

export type AcceptDeps = FindDeps & ChangeParts;

/** An invitation with its publisher and its inviter. */
export type OpenInvitation = { invitation: InvitationRecord; publisher: Publisher; inviter: Person };

/** The answer to any invalid link. It does not reveal which invitations existed. */
const NOT_VALID =
  'This invitation is not valid: it was accepted, revoked or has expired, or the link is incomplete. Ask for a new one.';

/**
 * Finds the invitation of a link, while it can be accepted.
 * @throws ApiError not_found
 */
export async function findInvitation(
  { invitations, publishers, people, invitationLinks, clock }: FindDeps & FindStores,
  link: string,
): Promise<OpenInvitation> {
  const id = invitationLinks.idIn(link);
  const invitation = id === null ? null : await invitations.find(id);
  if (!invitation || !isActive('invitations.expires_at', invitation.expiresAt, clock().toISOString()))
    throw invalidLink(NOT_VALID, 'Invitation not valid');
  const publisher = await publishers.find(invitation.publisher);
  const inviter = await people.find(invitation.invitedBy);
  if (!publisher || !inviter || !(await isActiveOwner(people, inviter.id, publisher.slug)))
    throw invalidLink(NOT_VALID, 'Invitation not valid');
  return { invitation, publisher, inviter };
}

/** Whether a link is that of an invitation that can be accepted. */
export const isOpenInvitation = (deps: FindDeps & FindStores, link: string): Promise<boolean> =>
  findInvitation(deps, link).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError) return false;
      throw error;
    },
  );

/**
 * Accepts an invitation, which makes the caller a member. A link works once, also for concurrent requests.
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
    await requireUnsuspended(stores, 'acceptInvitation', { publisher: publisher.slug });
    if (!(await stores.invitations.remove(invitation.id)))
      throw invalidLink(NOT_VALID, 'Invitation not valid');
    const since = deps.clock().toISOString();
    const personId = caller.person.id;
    const { slug } = publisher;
    const { role } = invitation;
    if (
      !(await stores.members.add({ publisher: slug, personId, role, since, addedBy: invitation.invitedBy }))
    ) {
      throw new ApiError('already_exists', `You are already a member of the publisher ${slug}.`);
    }
    const detail = { personId, role, invitation: invitation.id, invitedBy: invitation.invitedBy };
    const event = { action: 'member.add', publisher: slug, detail } as const;
    await recordPublisherChange(deps, stores, caller, since, event);
    return open;
  });
}
