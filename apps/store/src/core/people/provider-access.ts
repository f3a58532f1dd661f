import type { MemberRole, PersonRole } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { Actor } from '../domain/audit/audit-log.ts';
import type { Person } from '../domain/identity/person-store.ts';
import type { PostDeps } from '../domain/mail/post-mail.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import { type RoleDeps, tellRoleChange } from './administer.ts';
import type { PeopleStores } from './people-parts.ts';
import type { GroupRules, ProvenIdentity, Provider, Providers } from './provider.ts';

/** The most groups of a user that are read. A claim with more counts as missing: a part of it would take roles at random. */
const MAX_GROUPS = 5_000;
const MAX_NAME = 1_000;

/** The groups in the claims of a provider; null when the claim is missing or cannot be used, as with more groups than a token holds. */
export function groupsIn(claim: string, claims: Readonly<Record<string, unknown>>): readonly string[] | null {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.length > MAX_GROUPS) return null;
  return list.every((group) => typeof group === 'string' && group.length <= MAX_NAME) ? list : null;
}

/** Whether the store refuses passwords and passkeys at its sign-in. */
export const isSsoOnly = (providers: Providers): boolean =>
  [...providers.values()].some(({ rules }) => rules.ssoOnly);

/** @throws ApiError forbidden in a store whose users sign in with its providers alone */
export function requireOwnWays(providers: Providers): void {
  if (isSsoOnly(providers))
    throw new ApiError(
      'forbidden',
      'Sign in with the provider of this store: it accepts no password or passkey.',
    );
}

/** @throws ApiError forbidden for a user without a confirmed address of an allowed domain */
export function requireAllowedDomain(
  { rules, label }: Provider,
  { email, emailVerified }: ProvenIdentity,
): void {
  const { allowedDomains } = rules;
  if (allowedDomains === null) return;
  const domain = email?.slice(email.lastIndexOf('@') + 1) ?? '';
  if (emailVerified && allowedDomains.includes(domain)) return;
  throw new ApiError(
    'forbidden',
    `This store accepts only users of ${label} with a confirmed email address at ${allowedDomains.join(' or ')}.`,
  );
}

/** Whether users of these groups may use the store. */
export const isAllowed = ({ allowed }: GroupRules, groups: readonly string[] | null): boolean =>
  allowed === null || (groups ?? []).some((group) => allowed.includes(group));

/** @throws ApiError forbidden for a user in none of the groups that may use the store */
export function requireAllowedGroup({ rules, label }: Provider, groups: readonly string[] | null): void {
  if (rules.groups === null || isAllowed(rules.groups, groups)) return;
  throw new ApiError(
    'forbidden',
    `You are in no group of ${label} that may use this store: ask your administrator.`,
  );
}

const RANK: Readonly<Record<PersonRole, number>> = { person: 0, moderator: 1, administrator: 2 };

const highest = (roles: readonly PersonRole[]): PersonRole =>
  roles.reduce((best, role) => (RANK[role] > RANK[best] ? role : best), 'person');

/** The role that groups give. */
export function roleOf({ roles }: GroupRules, groups: readonly string[] | null): PersonRole {
  const inside = new Set(groups ?? []);
  return highest(Object.entries(roles).flatMap(([group, role]) => (inside.has(group) ? [role] : [])));
}

/** Gives the role of the groups. The last administrator stays: a store without one could not be administered any more. */
async function applyRole(
  deps: RoleDeps,
  stores: PeopleStores,
  person: Person,
  role: PersonRole,
  { actor, at, provider }: Applied,
): Promise<void> {
  if (person.role === role) return;
  const { people, audit } = stores;
  const isLast = person.role === 'administrator' && !(await people.hasAdministrator(person.id));
  const detail = {
    person: person.id,
    provider,
    ...(isLast ? { role: person.role, kept: 'last administrator' } : { role }),
  };
  if (!isLast) {
    const changed = await people.change(person.id, { role });
    await people.beginGrace(at, person.id);
    if (changed) await tellRoleChange(deps, stores, provider, person, changed);
  }
  await audit.add(actor, at, { action: 'person.change', detail });
}

/** Adds, changes or ends one membership, as the groups say. */
async function applyMembership(
  deps: PostDeps,
  stores: PeopleStores,
  { id }: Person,
  { slug, role }: { slug: string; role: MemberRole | null },
  { actor, at, provider }: Applied,
): Promise<void> {
  const { members, publishers, tokens } = stores;
  const before = (await members.of(slug)).find(({ personId }) => personId === id)?.role ?? null;
  if (before === role || (before === null && !(await publishers.find(slug)))) return;
  // What the user made for the publisher would work on without them.
  const tokensRevoked = role === null ? await tokens.revokeMadeFor(id, slug, at) : 0;
  const detail = {
    ...{ personId: id, role: role ?? before ?? 'member', provider },
    ...(tokensRevoked > 0 && { tokensRevoked }),
  };
  const tell = (action: 'member.add' | 'member.change' | 'member.remove') =>
    recordPublisherChange(deps, stores, actor, at, { action, publisher: slug, detail });
  if (role === null) {
    await members.remove(slug, id);
    await tell('member.remove');
  } else if (before === null) {
    await members.add({ publisher: slug, personId: id, role, since: at });
    await tell('member.add');
  } else {
    await members.change(slug, id, role, { addedBy: null, at });
    await tell('member.change');
  }
}

type Applied = { actor: Actor; at: string; provider: string };

/**
 * Gives a user the role and the memberships of their groups, and takes those of groups that they are no longer in. Without a usable
 * claim the user is in no group. Call it at each sign-in, in its transaction.
 */
export async function applyGroups(
  deps: RoleDeps,
  stores: PeopleStores,
  person: Person,
  groups: readonly string[] | null,
  { rules, ...applied }: Applied & { rules: GroupRules },
): Promise<void> {
  const inside = new Set(groups ?? []);
  if (Object.keys(rules.roles).length > 0)
    await applyRole(deps, stores, person, roleOf(rules, groups), applied);
  const wanted = new Map<string, MemberRole | null>();
  for (const [group, { slug, role }] of Object.entries(rules.publishers)) {
    const given = inside.has(group) ? role : null;
    if (wanted.get(slug) !== 'owner') wanted.set(slug, given ?? wanted.get(slug) ?? null);
  }
  for (const [slug, role] of wanted) await applyMembership(deps, stores, person, { slug, role }, applied);
}
