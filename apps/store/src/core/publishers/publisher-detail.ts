import type { Invitation, OwnPublishers, Publisher, PublisherDetail } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { InvitationRecord } from '../domain/identity/invitation-store.ts';
import { presentMember } from '../domain/identity/member-store.ts';
import type { Person } from '../domain/identity/person-store.ts';
import type { PublisherWithStatus } from '../domain/identity/publisher-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { presentStorage, type StoragePolicy } from '../domain/versions/publisher-storage.ts';
import type { InvitationLinks } from './invitations/accept.ts';
import { hostOf, proofOn } from './proof.ts';

export type DetailDeps = Parts & { invitationLinks: InvitationLinks; policy: StoragePolicy };

/** An invitation as members see it. Only owners see the link, which may give the role of an owner. */
export const presentInvitation = (
  { id, role, email, createdAt, expiresAt }: InvitationRecord,
  inviter: Person | undefined,
  url: string | null,
): Invitation => ({
  id,
  role,
  ...(email !== null && { email }),
  invitedBy: inviter?.name ?? '',
  createdAt,
  expiresAt,
  ...(url !== null && { url }),
});

function verificationOf({ publisher: { website }, status: { proof, ...shown } }: PublisherWithStatus) {
  const host = hostOf(website);
  return { ...shown, publish: host === null ? null : proofOn(host, proof) };
}

/** A publisher as its members see it: why it is suspended, and not by whom. */
const forMembers = ({ suspension, ...publisher }: Publisher): Publisher => ({
  ...publisher,
  ...(suspension && { suspension: { reason: suspension.reason, at: suspension.at } }),
});

/** The error for a publisher of which the caller is not a member, the same as for one that does not exist. */
export const unknownToCaller = (slug: string): ApiError =>
  new ApiError('not_found', `You are not a member of a publisher with the short name ${slug}.`);

/**
 * A publisher as its members see it. Other callers get the same error as for an unknown slug; public data is in the catalogue.
 * @throws ApiError not_found
 */
export async function publisherDetail(
  deps: DetailDeps,
  { person }: Pick<PersonCaller, 'person'>,
  slug: string,
): Promise<PublisherDetail> {
  const found = await deps.publishers.findWithStatus(slug);
  const members = await deps.members.of(slug);
  const role = members.find(({ personId }) => personId === person.id)?.role;
  if (!found || role === undefined) throw unknownToCaller(slug);
  const forOwner = role === 'owner';
  const invitations = await deps.invitations.openOf(slug, deps.clock().toISOString());
  const ids = [...members.map(({ personId }) => personId), ...invitations.map(({ invitedBy }) => invitedBy)];
  const people = new Map((await deps.people.findAll([...new Set(ids)])).map((member) => [member.id, member]));
  const stored = await deps.publishers.storedOf([slug]);
  const nameRequest = await deps.names.find(slug);
  return {
    ...forMembers(found.publisher),
    role,
    ...(nameRequest && { pendingName: { name: nameRequest.name, askedAt: nameRequest.askedAt } }),
    members: members.map((member) => presentMember(member, people.get(member.personId), forOwner)),
    invitations: invitations.map((invitation) =>
      presentInvitation(
        invitation,
        people.get(invitation.invitedBy),
        forOwner ? deps.invitationLinks.url(invitation.id) : null,
      ),
    ),
    verification: verificationOf(found),
    storage: presentStorage(deps.policy, found.publisher, stored.get(slug)),
  };
}

/** The publishers of which a person is a member. */
export async function ownPublishers(
  { publishers }: Pick<DetailDeps, 'publishers'>,
  { memberships }: PersonCaller,
): Promise<OwnPublishers> {
  const records = await publishers.findAll([...memberships.keys()]);
  return {
    publishers: records.flatMap((publisher) => {
      const role = memberships.get(publisher.slug);
      return role === undefined ? [] : [{ ...forMembers(publisher), role }];
    }),
  };
}
