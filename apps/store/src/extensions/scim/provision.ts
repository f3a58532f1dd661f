import { LIMITS, type ScimQuery } from '@svc/contracts';
import type { Actor } from '../../core/domain/audit/audit-log.ts';
import type { Person } from '../../core/domain/identity/person-store.ts';
import { isFirstToday, notifyRole } from '../../core/domain/mail/post-mail.ts';
import { tellRoleChange } from '../../core/people/administer.ts';
import { firstOwnName } from '../../core/people/name-rules.ts';
import type { PeopleStores as CoreStores, PeopleParts } from '../../core/people/people-parts.ts';
import type { Provider } from '../../core/people/provider.ts';
import { applyGroups } from '../../core/people/provider-access.ts';
import { addPerson } from '../../core/people/sign-up.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, RateLimitError } from '../../platform/rate.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import {
  type Attributes,
  applied,
  filterOf,
  groupFrom,
  memberChange,
  membersAfter,
  operationsOf,
  presentGroup,
  presentUser,
  SCIM_SCHEMAS,
  userAttributes,
  userFrom,
} from './scim-resource.ts';
import type { ScimGroup, ScimStore, ScimUser } from './scim-store.ts';

/** The stores of a transaction. */
type PeopleStores = CoreStores & { scim: ScimStore };

/** What provisioning uses. */
export type ScimDeps = Omit<PeopleParts, 'isInvitation' | 'unitOfWork'> & {
  scim: ScimStore;
  unitOfWork: UnitOfWork<PeopleStores>;
};

/** A provider that provisions, and the request. */
export type ScimCall = { provider: Provider; actor: Actor; at: string };

const HOUR_MS = 3_600_000;

const DEACTIVATIONS = 'deactivations of users';

const missing = () => new ApiError('not_found', 'There is no such resource.');
const taken = (message: string) => new ApiError('already_exists', message);

/**
 * Whether a provider decides about an account that exists: the provider has its address by `allowedDomains`, the account has signed in with
 * the provider, or it is one that the provider deactivated. Without these, a provider would end the access of users that it never had.
 */
const isOf = async (
  { identities }: PeopleStores,
  { id, suspension }: Person,
  { provider: { issuer, rules }, actor }: ScimCall,
): Promise<boolean> =>
  rules.allowedDomains !== null ||
  suspension?.by === actor.name ||
  (await identities.of(id)).some((identity) => identity.issuer === issuer);

/**
 * The account of a provisioned user: the one with the same confirmed address, or a new one, which its owner signs in to at the provider.
 * @throws ApiError already_exists for an account whose owner never confirmed the address, or of which the provider does not decide;
 *   invalid_request
 */
async function accountOf(
  deps: ScimDeps,
  stores: PeopleStores,
  { name, email }: ReturnType<typeof userFrom>,
  call: ScimCall,
): Promise<Person> {
  const { provider, actor } = call;
  const { allowedDomains } = provider.rules;
  if (email === null) throw new ApiError('invalid_request', 'emails must have the address of the user.');
  if (allowedDomains !== null && !allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw new ApiError('invalid_request', `emails must have an address at ${allowedDomains.join(' or ')}.`);
  const known = await stores.people.findByEmail(email);
  if (known && !known.emailVerified)
    throw taken('An account with this address exists, and its owner has not confirmed the address.');
  if (known && !(await isOf(stores, known, call)))
    throw taken(
      `An account with this address exists, and has never signed in with ${provider.label}. Its owner signs in once, or allowedDomains of the sign-in file names the domain.`,
    );
  if (known) return known;
  const own = await firstOwnName(deps, stores, [name]);
  return addPerson(deps, stores, { name: own, email, emailVerified: true }, actor.from);
}

/**
 * Refuses to end the access of too many users within an hour: a mistake at the provider must not lock everyone out.
 * @throws ApiError forbidden for the last administrator; rate_limited
 */
async function requireMayEnd(deps: ScimDeps, stores: PeopleStores, person: Person, { provider }: ScimCall) {
  if (person.role === 'administrator' && !(await stores.people.hasAdministrator(person.id)))
    throw new ApiError(
      'forbidden',
      'This is the last administrator of the store: make another user one first.',
    );
  const { share, deactivations } = LIMITS.scim;
  const limit = Math.max(deactivations, Math.ceil((await stores.scim.activeUsers(provider.id)) * share));
  const rate = { what: DEACTIVATIONS, limit, windowMs: HOUR_MS };
  await consume({ ...deps, ...stores }, rate, `scim ${provider.id}`);
}

/** Writes to the administrators that a provider would end the access of more users than it may in an hour, at most once a day. */
const reportHeld = (deps: ScimDeps, { provider: { id, label } }: ScimCall, { quota }: RateLimitError) =>
  deps.unitOfWork(async (stores) => {
    if (!(await isFirstToday(deps, stores, `scim-mail ${id}`))) return;
    const detail = { provider: label, limit: quota.limit };
    await notifyRole(deps, stores, 'administrator', { kind: 'deactivations-held', detail });
  });

/**
 * Ends or restores the access of a user. Sessions, tokens and the role end at once; a suspension by an administrator stays.
 * @throws ApiError forbidden, rate_limited
 */
async function setAccess(
  deps: ScimDeps,
  stores: PeopleStores,
  user: ScimUser,
  active: boolean,
  call: ScimCall,
) {
  const { provider, actor, at } = call;
  const person = await stores.people.find(user.personId);
  if (!person || active !== person.suspended) return;
  if (active && person.suspension?.by !== actor.name) return;
  if (!active) await requireMayEnd(deps, stores, person, call);
  const { id } = person;
  const change = active
    ? { suspended: false, suspension: null }
    : {
        ...{ suspended: true, role: 'person' as const },
        suspension: { reason: `Deactivated at ${provider.label}`, at, by: actor.name },
      };
  const changed = await stores.people.change(id, change);
  if (changed) await tellRoleChange(deps, stores, provider.id, person, changed);
  await deps.hooks.personSuspended(stores, id, !active);
  const ended = !active && {
    role: 'person',
    sessionsEnded: await stores.sessions.endAll(id),
    tokensRevoked: await stores.tokens.revokeMadeBy(id, at),
    devicesEnded: await stores.devices.removeAllOf(id),
  };
  const detail = { person: id, provider: provider.id, suspended: !active, ...ended };
  await stores.audit.add(actor, at, { action: 'person.change', detail });
  if (active) await regroup(deps, stores, user, call);
}

/** Gives a user what the groups mean here. */
async function regroup(
  deps: ScimDeps,
  stores: PeopleStores,
  { personId, provider: id }: ScimUser,
  { provider, actor, at }: ScimCall,
) {
  const rules = provider.rules.groups;
  const person = rules && (await stores.people.find(personId));
  const groups = rules && (await stores.scim.groupsOf(id, personId));
  if (rules && person && !person.suspended && groups)
    await applyGroups(deps, stores, person, groups, { actor, at, provider: id, rules });
}

async function keepUser(
  deps: ScimDeps,
  stores: PeopleStores,
  before: ScimUser | null,
  attributes: Attributes,
  call: ScimCall,
) {
  const given = userFrom(attributes);
  const personId = before?.personId ?? (await accountOf(deps, stores, given, call)).id;
  const user: ScimUser = {
    ...{ id: before?.id ?? deps.newId(), provider: call.provider.id, personId, ...given },
    ...{ createdAt: before?.createdAt ?? call.at, changedAt: call.at },
  };
  if (!(await stores.scim.keepUser(user)))
    throw taken('Another user of this provider has the userName, or is the same account.');
  await setAccess(deps, stores, user, user.active, call);
  return presentUser(deps, user);
}

async function requireMember(stores: PeopleStores, { provider }: ScimCall, id: string): Promise<ScimUser> {
  const user = await stores.scim.user(provider.id, id);
  if (!user) throw new ApiError('invalid_request', 'members must be ids of users of this provider.');
  return user;
}

/** Makes the members of a group those that are wanted. @returns the users whose groups changed */
async function setMembers(stores: PeopleStores, group: ScimGroup, wanted: readonly string[], call: ScimCall) {
  const before = await stores.scim.members(group.id);
  const gone = before.filter(({ id }) => !wanted.includes(id));
  const added = await Promise.all(
    [...new Set(wanted)]
      .filter((id) => !before.some((one) => one.id === id))
      .map((id) => requireMember(stores, call, id)),
  );
  for (const { id } of gone) await stores.scim.removeMember(group.id, id);
  for (const { id } of added) await stores.scim.addMember(group.id, id);
  return [...gone, ...added];
}

async function keepGroup(
  deps: ScimDeps,
  stores: PeopleStores,
  before: ScimGroup | null,
  { name, externalId, members }: ReturnType<typeof groupFrom>,
  call: ScimCall,
) {
  const group: ScimGroup = {
    ...{ id: before?.id ?? deps.newId(), provider: call.provider.id, name, externalId },
    ...{ createdAt: before?.createdAt ?? call.at, changedAt: call.at },
  };
  if (!(await stores.scim.keepGroup(group)))
    throw taken('Another group of this provider has the displayName.');
  const changed = members === null ? [] : await setMembers(stores, group, members, call);
  const affected = before && before.name !== name ? await stores.scim.members(group.id) : [];
  for (const user of [...changed, ...affected]) await regroup(deps, stores, user, call);
  return presentGroup(deps, group, await stores.scim.members(group.id));
}

/** The operations on users and on groups of a provider, in the words of RFC 7644. */
export function createScim(deps: ScimDeps) {
  const inside = async <T>(call: ScimCall, work: (stores: PeopleStores) => Promise<T>): Promise<T> => {
    try {
      return await deps.unitOfWork(work);
    } catch (error) {
      // After the transaction, which is undone.
      if (error instanceof RateLimitError && error.quota.name === DEACTIVATIONS)
        await reportHeld(deps, call, error);
      throw error;
    }
  };
  const requireUser = async ({ scim }: Pick<PeopleStores, 'scim'>, { provider }: ScimCall, id: string) => {
    const user = await scim.user(provider.id, id);
    if (!user) throw missing();
    return user;
  };
  const requireGroup = async ({ scim }: Pick<PeopleStores, 'scim'>, { provider }: ScimCall, id: string) => {
    const group = await scim.group(provider.id, id);
    if (!group) throw missing();
    return group;
  };
  const pageOf = ({ startIndex = 1, count = LIMITS.scim.page, filter }: ScimQuery) => ({
    filter: filterOf(filter),
    start: Math.max(0, startIndex - 1),
    count: Math.min(Math.max(0, count), LIMITS.scim.page),
  });
  const listOf = (query: ScimQuery, total: number, Resources: object[]) => ({
    ...{ schemas: [SCIM_SCHEMAS.list], totalResults: total, startIndex: Math.max(1, query.startIndex ?? 1) },
    ...{ itemsPerPage: Resources.length, Resources },
  });
  return {
    Users: {
      async list(call: ScimCall, query: ScimQuery) {
        const { items, total } = await deps.scim.users(call.provider.id, pageOf(query));
        return listOf(
          query,
          total,
          items.map((user) => presentUser(deps, user)),
        );
      },
      get: async (call: ScimCall, id: string) => presentUser(deps, await requireUser(deps, call, id)),
      add: (call: ScimCall, body: Attributes) =>
        inside(call, (stores) => keepUser(deps, stores, null, body, call)),
      replace: (call: ScimCall, id: string, body: Attributes) =>
        inside(call, async (stores) =>
          keepUser(deps, stores, await requireUser(stores, call, id), body, call),
        ),
      patch: (call: ScimCall, id: string, body: Attributes) =>
        inside(call, async (stores) => {
          const user = await requireUser(stores, call, id);
          return keepUser(deps, stores, user, applied(userAttributes(user), operationsOf(body)), call);
        }),
      remove: (call: ScimCall, id: string) =>
        inside(call, async (stores) => {
          const user = await requireUser(stores, call, id);
          await setAccess(deps, stores, user, false, call);
          await stores.scim.removeUser(id);
        }),
    },
    Groups: {
      async list(call: ScimCall, query: ScimQuery) {
        const { items, total } = await deps.scim.groups(call.provider.id, pageOf(query));
        const isShort = query.excludedAttributes?.split(',').includes('members') === true;
        const shown: object[] = [];
        for (const group of items)
          shown.push(presentGroup(deps, group, isShort ? null : await deps.scim.members(group.id)));
        return listOf(query, total, shown);
      },
      get: async (call: ScimCall, id: string) =>
        presentGroup(deps, await requireGroup(deps, call, id), await deps.scim.members(id)),
      add: (call: ScimCall, body: Attributes) =>
        inside(call, (stores) => keepGroup(deps, stores, null, groupFrom(body), call)),
      replace: (call: ScimCall, id: string, body: Attributes) =>
        inside(call, async (stores) => {
          const given = groupFrom(body);
          const wanted = { ...given, members: given.members ?? [] };
          return keepGroup(deps, stores, await requireGroup(stores, call, id), wanted, call);
        }),
      patch: (call: ScimCall, id: string, body: Attributes) =>
        inside(call, async (stores) => {
          const group = await requireGroup(stores, call, id);
          const operations = operationsOf(body);
          const others = operations.filter((operation) => memberChange(operation) === null);
          const attributes = applied({ displayName: group.name, externalId: group.externalId }, others);
          const ids = (await stores.scim.members(id)).map((user) => user.id);
          const given = groupFrom(attributes);
          const members = membersAfter(ids, operations) ?? given.members;
          return keepGroup(deps, stores, group, { ...given, members }, call);
        }),
      remove: (call: ScimCall, id: string) =>
        inside(call, async (stores) => {
          const group = await requireGroup(stores, call, id);
          const before = await stores.scim.members(group.id);
          for (const user of before) await stores.scim.removeMember(id, user.id);
          // Before the group goes: a provider without groups decides nothing.
          for (const user of before) await regroup(deps, stores, user, call);
          await stores.scim.removeGroup(id);
        }),
    },
  };
}
