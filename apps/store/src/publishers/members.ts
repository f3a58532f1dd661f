import type { MemberRole, PublisherMember } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { type Caller, type PersonCaller, requireMember } from '../domain/identity/caller.ts';
import type { InvitationStore } from '../domain/identity/invitation-store.ts';
import type { Member, MemberStore } from '../domain/identity/member-store.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import { type OwnerStores, requireActive, requireOwned } from './owner.ts';
import { presentMember } from './publisher-detail.ts';

export type MemberStores = OwnerStores & {
  members: MemberStore;
  invitations: InvitationStore;
  audit: AuditLog;
};

export type MemberDeps = { unitOfWork: UnitOfWork<MemberStores>; clock: Clock };

type Place = { slug: string; personId: string };

async function requireFound({ members }: MemberStores, { slug, personId }: Place): Promise<Member> {
  const member = (await members.of(slug)).find((one) => one.personId === personId);
  if (member) return member;
  throw new ApiError('not_found', `The publisher ${slug} has no such member.`);
}

/**
 * Refuses what has left a publisher without an owner who can act: a person who is suspended cannot. Asked after the change,
 * in its transaction; as those run one at a time, of two owners who leave at once the second is refused.
 */
async function requireOwnerLeft(
  { members, people }: { members: MemberStore; people: PersonStore },
  slug: string,
): Promise<void> {
  const owners = (await members.of(slug)).filter(({ role }) => role === 'owner');
  const found = await people.findAll(owners.map(({ personId }) => personId));
  if (found.some(({ suspended }) => !suspended)) return;
  throw new ApiError('last_owner', `The publisher ${slug} needs an owner: make another member one first.`);
}

/** The invitations of a former owner end: a link kept back would be a way in again. */
async function dropInvitations({ invitations }: MemberStores, { slug, personId }: Place): Promise<void> {
  await invitations.removeBy(slug, personId);
}

async function present(stores: MemberStores, member: Member): Promise<PublisherMember> {
  return presentMember(member, (await stores.people.find(member.personId)) ?? undefined, true);
}

async function giveRole(stores: MemberStores, caller: Caller, at: string, member: Member, role: MemberRole) {
  const { publisher, personId } = member;
  await stores.members.change(publisher, personId, role);
  if (role !== 'owner') await dropInvitations(stores, { slug: publisher, personId });
  await stores.audit.add(caller, at, { action: 'member.change', publisher, detail: { personId, role } });
}

/**
 * Gives a member another role.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, last_owner
 */
export async function changeMember(
  deps: MemberDeps,
  caller: PersonCaller,
  place: Place,
  role: MemberRole,
): Promise<PublisherMember> {
  return deps.unitOfWork(async (stores) => {
    requireActive(await requireOwned(stores, caller, place.slug));
    const member = await requireFound(stores, place);
    await giveRole(stores, caller, deps.clock().toISOString(), member, role);
    await requireOwnerLeft(stores, place.slug);
    return present(stores, { ...member, role });
  });
}

/** A member may take away themselves alone, an owner anybody. */
async function requireMayRemove(stores: MemberStores, caller: PersonCaller, { slug, personId }: Place) {
  if (personId !== caller.person.id) {
    await requireOwned(stores, caller, slug);
    return;
  }
  requireMember({ ...caller, memberships: await stores.people.membershipsOf(personId) }, slug);
}

/**
 * Takes a member away from a publisher; a member who removes themselves leaves. It may be done while the
 * publisher is suspended.
 * @returns the member as they were
 * @throws ApiError not_a_member, forbidden, not_found, last_owner
 */
export async function removeMember(
  deps: MemberDeps,
  caller: PersonCaller,
  place: Place,
): Promise<PublisherMember> {
  const { slug, personId } = place;
  return deps.unitOfWork(async (stores) => {
    await requireMayRemove(stores, caller, place);
    const member = await requireFound(stores, place);
    await stores.members.remove(slug, personId);
    await requireOwnerLeft(stores, slug);
    await dropInvitations(stores, place);
    const deed = {
      action: 'member.remove',
      publisher: slug,
      detail: { personId, role: member.role },
    } as const;
    await stores.audit.add(caller, deps.clock().toISOString(), deed);
    return present(stores, member);
  });
}

/**
 * Makes a member an owner in the place of the caller, who stays as a member.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, invalid_request, last_owner
 */
export async function transferPublisher(
  deps: MemberDeps,
  caller: PersonCaller,
  slug: string,
  to: string,
): Promise<void> {
  const from = caller.person.id;
  await deps.unitOfWork(async (stores) => {
    requireActive(await requireOwned(stores, caller, slug));
    if (to === from) throw new ApiError('invalid_request', 'Name another person: you are an owner already.');
    await requireFound(stores, { slug, personId: to });
    await stores.members.change(slug, to, 'owner');
    await stores.members.change(slug, from, 'member');
    await dropInvitations(stores, { slug, personId: from });
    await requireOwnerLeft(stores, slug);
    const deed = { action: 'publisher.transfer', publisher: slug, detail: { to } } as const;
    await stores.audit.add(caller, deps.clock().toISOString(), deed);
  });
}

/**
 * Makes a person a member or an owner in the name of the store, as when a publisher has no owner who can.
 * @throws ApiError not_found, last_owner
 */
export async function setMember(
  deps: MemberDeps,
  caller: Caller,
  { slug, personId }: Place,
  role: MemberRole,
): Promise<PublisherMember> {
  return deps.unitOfWork(async (stores) => {
    if (!(await stores.publishers.find(slug)) || !(await stores.people.find(personId))) {
      throw new ApiError('not_found', 'There is no such publisher, or no such person.');
    }
    const since = deps.clock().toISOString();
    const fresh: Member = { publisher: slug, personId, role, since };
    if (await stores.members.add(fresh)) {
      await stores.audit.add(caller, since, {
        action: 'member.add',
        publisher: slug,
        detail: { personId, role },
      });
      return present(stores, fresh);
    }
    const member = await requireFound(stores, { slug, personId });
    await giveRole(stores, caller, since, member, role);
    await requireOwnerLeft(stores, slug);
    return present(stores, { ...member, role });
  });
}
