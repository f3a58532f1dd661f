import type { MemberRole, PublisherMember } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { type Caller, type PersonCaller, requireMember } from '../domain/identity/caller.ts';
import { type Member, presentMember } from '../domain/identity/member-store.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import { requireOwned, requireSettledOwner } from './lives.ts';

type MemberRef = { slug: string; personId: string };

async function requireMemberOf({ members }: Stores, { slug, personId }: MemberRef): Promise<Member> {
  const member = (await members.of(slug)).find((candidate) => candidate.personId === personId);
  if (member) return member;
  throw new ApiError('not_found', `The publisher ${slug} has no such member.`);
}

/**
 * Refuses a change that leaves a publisher without an active owner; suspended persons do not count. Call it after the change, in
 * its transaction. As transactions run one at a time, the second of two owners who leave at the same time is refused.
 */
export async function requireActiveOwner(
  { members, people }: Pick<Parts, 'members' | 'people'>,
  slug: string,
): Promise<void> {
  const owners = (await members.of(slug)).filter(({ role }) => role === 'owner');
  const persons = await people.findAll(owners.map(({ personId }) => personId));
  if (persons.some(({ suspended }) => !suspended)) return;
  throw new ApiError(
    'last_owner',
    `The publisher ${slug} needs an owner: make another member an owner first.`,
  );
}

/** Revokes the invitations of a former owner, who could otherwise use a link to return. */
async function dropInvitations({ invitations }: Stores, { slug, personId }: MemberRef): Promise<void> {
  await invitations.removeBy(slug, personId);
}

async function present(stores: Stores, member: Member): Promise<PublisherMember> {
  return presentMember(member, (await stores.people.find(member.personId)) ?? undefined, true);
}

/** What ends a membership or an ownership, with what it takes to restore it. */
const detailOf = ({ personId, role, since, ownerSince }: Member) => ({
  ...{ personId, role, since },
  ...(ownerSince != null && { ownerSince }),
});

async function giveRole(
  deps: ChangeParts,
  stores: Stores,
  caller: Caller,
  member: Member,
  role: MemberRole,
): Promise<void> {
  const { publisher, personId, role: before, ownerSince } = member;
  if (role !== 'owner') await requireSettledOwner(deps, stores, caller, publisher, personId);
  const at = deps.clock().toISOString();
  const addedBy = caller.kind === 'person' ? caller.person.id : null;
  await stores.members.change(publisher, personId, role, { addedBy, at });
  if (role !== 'owner') await dropInvitations(stores, { slug: publisher, personId });
  const detail = { personId, role, before, ...(ownerSince != null && { ownerSince }) };
  const event = { action: 'member.change', publisher, detail } as const;
  await recordPublisherChange(deps, stores, caller, at, event);
}

/**
 * Changes the role of a member.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, last_owner
 */
export async function changeMember(
  deps: ChangeParts,
  caller: PersonCaller,
  ref: MemberRef,
  role: MemberRole,
): Promise<PublisherMember> {
  return deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, ref.slug, 'changeMember');
    const member = await requireMemberOf(stores, ref);
    await giveRole(deps, stores, caller, member, role);
    await requireActiveOwner(stores, ref.slug);
    return present(stores, { ...member, role });
  });
}

async function remove(
  deps: ChangeParts,
  stores: Stores,
  caller: Caller,
  ref: MemberRef,
): Promise<PublisherMember> {
  const { slug, personId } = ref;
  const member = await requireMemberOf(stores, ref);
  await requireSettledOwner(deps, stores, caller, slug, personId);
  await stores.members.remove(slug, personId);
  await requireActiveOwner(stores, slug);
  await dropInvitations(stores, ref);
  const event = { action: 'member.remove', publisher: slug, detail: detailOf(member) } as const;
  await recordPublisherChange(deps, stores, caller, deps.clock().toISOString(), event);
  return present(stores, member);
}

/** A member may remove only themselves; an owner may remove any member. */
async function requireMayRemove(stores: Stores, caller: PersonCaller, { slug, personId }: MemberRef) {
  if (personId !== caller.person.id) {
    await requireOwned(stores, caller, slug, 'removeMember');
    return;
  }
  requireMember({ ...caller, memberships: await stores.people.membershipsOf(personId) }, slug);
}

/**
 * Removes a member from a publisher; a member can leave in this way. Also possible while the publisher is suspended.
 * @returns the removed member
 * @throws ApiError not_a_member, forbidden, not_found, last_owner
 */
export async function removeMember(
  deps: ChangeParts,
  caller: PersonCaller,
  ref: MemberRef,
): Promise<PublisherMember> {
  return deps.unitOfWork(async (stores) => {
    await requireMayRemove(stores, caller, ref);
    return remove(deps, stores, caller, ref);
  });
}

/**
 * Removes a member from a publisher on behalf of the store.
 * @throws ApiError not_found, last_owner
 */
export const expelMember = (deps: ChangeParts, caller: Caller, ref: MemberRef): Promise<PublisherMember> =>
  deps.unitOfWork((stores) => remove(deps, stores, caller, ref));

/**
 * Transfers a publisher: makes a member an owner, and the caller a member.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found, invalid_request, last_owner
 */
export async function transferPublisher(
  deps: ChangeParts,
  caller: PersonCaller,
  slug: string,
  to: string,
): Promise<void> {
  const from = caller.person.id;
  await deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'transferPublisher');
    if (to === from) throw new ApiError('invalid_request', 'Name another user: you are already an owner.');
    await requireSettledOwner(deps, stores, caller, slug);
    const [successor, own] = [
      await requireMemberOf(stores, { slug, personId: to }),
      await requireMemberOf(stores, { slug, personId: from }),
    ];
    const at = deps.clock().toISOString();
    await stores.members.change(slug, to, 'owner', { addedBy: from, at });
    await stores.members.change(slug, from, 'member', { addedBy: from, at });
    await dropInvitations(stores, { slug, personId: from });
    await requireActiveOwner(stores, slug);
    const detail = {
      to,
      before: successor.role,
      ...(own.ownerSince != null && { ownerSince: own.ownerSince }),
    };
    const event = { action: 'publisher.transfer', publisher: slug, detail } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
  });
}

/**
 * Makes a person a member or an owner on behalf of the store, for example when a publisher has no owner.
 * @throws ApiError not_found, last_owner
 */
export async function setMember(
  deps: ChangeParts,
  caller: Caller,
  { slug, personId }: MemberRef,
  role: MemberRole,
): Promise<PublisherMember> {
  return deps.unitOfWork(async (stores) => {
    if (!(await stores.publishers.find(slug)) || !(await stores.people.find(personId))) {
      throw new ApiError('not_found', 'There is no such publisher, or no such user.');
    }
    const since = deps.clock().toISOString();
    const fresh: Member = { publisher: slug, personId, role, since };
    if (await stores.members.add(fresh)) {
      const event = { action: 'member.add', publisher: slug, detail: { personId, role } } as const;
      await recordPublisherChange(deps, stores, caller, since, event);
      return present(stores, fresh);
    }
    const member = await requireMemberOf(stores, { slug, personId });
    await giveRole(deps, stores, caller, member, role);
    await requireActiveOwner(stores, slug);
    return present(stores, { ...member, role });
  });
}
