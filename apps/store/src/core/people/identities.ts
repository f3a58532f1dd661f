import { LIMITS } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { ApiError } from '../../platform/api-error.ts';
import type { Actor, Origin } from '../domain/audit/audit-log.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { type PersonCaller, personName } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { recordAccountChange } from '../domain/mail/post-mail.ts';
import { beginCeremony, endCeremony } from './ceremony.ts';
import { mayNotJoin } from './may-join.ts';
import { firstOwnName } from './name-rules.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import type { ProvenIdentity, Provider } from './provider.ts';
import { applyGroups, requireAllowedDomain, requireAllowedGroup, roleOf } from './provider-access.ts';
import { addPerson } from './sign-up.ts';

/** Each provider has its own redirect URI, so that none can answer for another (RFC 9700 section 4.4.2.2). */
const redirectUriOf = ({ baseUrl }: Pick<PeopleParts, 'baseUrl'>, { id }: Provider): string =>
  `${baseUrl}/sign-in/${id}/callback`;

function requireProvider({ providers }: Pick<PeopleParts, 'providers'>, id: string): Provider {
  const provider = providers.get(id);
  if (!provider) throw new ApiError('not_found', 'This store has no such sign-in provider.');
  return provider;
}

/**
 * Begins to sign in with a provider, or to link a provider account.
 * @param person the person who links; null for a sign-in
 * @returns the text for the ceremony's cookie, and the URL to redirect the browser to
 * @throws ApiError not_found
 */
export async function beginProviderSignIn(
  deps: PeopleParts,
  providerId: string,
  person: Person | null,
): Promise<{ cookie: string; url: string }> {
  const provider = requireProvider(deps, providerId);
  const what = { kind: 'provider', provider: providerId, personId: person?.id ?? null } as const;
  const { cookie, secrets } = beginCeremony(deps, what);
  const url = await provider.begin(secrets, redirectUriOf(deps, provider));
  return { cookie, url: url.href };
}

type Return = { providerId: string; cookie: string | undefined; query: string };

/**
 * Validates the response of a provider.
 * @returns the identity, and the person who links it; null for a sign-in
 * @throws ApiError not_found, forbidden
 */
export async function endProviderSignIn(
  deps: PeopleParts,
  { providerId, cookie, query }: Return,
): Promise<{ proven: ProvenIdentity; personId: string | null }> {
  const provider = requireProvider(deps, providerId);
  const { ceremony, secrets } = await endCeremony(deps, 'provider', cookie);
  if (ceremony.provider !== providerId)
    throw new ApiError(
      'forbidden',
      'The response came from another provider than the one you chose: start again.',
    );
  const proven = await provider.end(secrets, new URL(redirectUriOf(deps, provider) + query));
  requireAllowedDomain(provider, proven);
  return { proven, personId: ceremony.personId };
}

/** The maximum length of a stored name of a provider account, in characters. */
const MAX_LABEL = 300;

/** Links an identity, with an audit entry and a mail. @returns false when it is linked already */
async function addIdentity(
  deps: PeopleParts,
  stores: PeopleStores,
  { issuer, subject, label: given }: ProvenIdentity,
  { actor, personId, at, joined }: { actor: Actor; personId: string; at: string; joined?: string },
): Promise<boolean> {
  const label = cleanLine(given, MAX_LABEL);
  if (!(await stores.identities.add({ id: deps.newId(), issuer, subject, personId, label, createdAt: at })))
    return false;
  const detail = { issuer, account: given, ...(joined !== undefined && { joined }) };
  await recordAccountChange(deps, stores, actor, at, {
    personId,
    what: label,
    action: 'identity.add',
    detail,
  });
  return true;
}

/** The names of a person at a provider, without invisible characters. */
const cleanNames = ({ name, label }: ProvenIdentity): string[] =>
  [name, label].map((text) => cleanLine(text, LIMITS.people.name));

/**
 * The account to which a new identity belongs, where the operator made the provider the authority over addresses: of a user whom an
 * administrator added and who has no way to sign in yet, or, in a store that accepts only its provider, of a user with a proven address.
 * An account that already has an identity of the provider is of another user there: addresses are given to new owners.
 */
async function accountFor(
  { providers }: Pick<PeopleParts, 'providers'>,
  { people, identities, passwords, passkeys }: PeopleStores,
  { issuer, email, emailVerified }: ProvenIdentity,
): Promise<Person | null> {
  const rules = [...providers.values()].find((provider) => provider.issuer === issuer)?.rules;
  const isAuthority = rules !== undefined && (rules.ssoOnly || rules.allowedDomains !== null);
  const person = isAuthority && emailVerified && email !== null ? await people.findByEmail(email) : null;
  if (!person) return null;
  const linked = await identities.of(person.id);
  if (linked.some((identity) => identity.issuer === issuer)) return null;
  const hasOwnWay =
    linked.length > 0 ||
    (await passwords.find(person.id)) !== null ||
    (await passkeys.of(person.id)).length > 0;
  return !hasOwnWay || (rules?.ssoOnly && person.emailVerified) ? person : null;
}

/** Links a new identity to the account that it belongs to. */
async function joinAccount(
  deps: PeopleParts,
  stores: PeopleStores,
  proven: ProvenIdentity,
  { person, visit }: { person: Person; visit: Visit },
): Promise<Person> {
  const at = deps.clock().toISOString();
  const actor = { name: personName(person.id), from: visit.from };
  const as = { actor, personId: person.id, at, joined: 'by its confirmed address' };
  if (!(await addIdentity(deps, stores, proven, as)))
    throw new ApiError('already_exists', 'Another sign-in has just linked this account: sign in again.');
  return (await stores.people.change(person.id, { emailVerified: true })) ?? person;
}

/** Creates the person of a new identity. The email address of an existing account does not sign in to that account. */
async function newPersonFor(
  deps: PeopleParts,
  stores: PeopleStores,
  proven: ProvenIdentity,
  visit: Visit,
): Promise<Person> {
  const { email, emailVerified } = proven;
  if (email !== null && (await stores.people.findByEmail(email))) {
    throw new ApiError(
      'already_exists',
      'An account with your email address already exists. Sign in to it as before, and add this provider on your account page.',
    );
  }
  // A typed name would be refused; the user cannot correct the name of a provider, so it is cleaned or replaced.
  const name = await firstOwnName(deps, stores, cleanNames(proven));
  const fields = {
    name,
    email: emailVerified ? email : null,
    emailVerified: emailVerified && email !== null,
  };
  const person = await addPerson(deps, stores, fields, visit.from);
  const actor = { name: personName(person.id), from: visit.from };
  await addIdentity(deps, stores, proven, { actor, personId: person.id, at: person.createdAt });
  return person;
}

/** Whether a user becomes the first administrator by a group of the sign-in file. The operator named them there: they need no invitation. */
const isFirstAdministrator = async (
  { providers }: Pick<PeopleParts, 'providers'>,
  { people }: PeopleStores,
  { issuer, groups }: ProvenIdentity,
): Promise<boolean> => {
  const rules = [...providers.values()].find((provider) => provider.issuer === issuer)?.rules.groups;
  if (!rules || roleOf(rules, groups) !== 'administrator') return false;
  return !(await people.hasAdministrator());
};

/** @throws ApiError forbidden where no new user may join, already_exists */
async function personOf(
  deps: PeopleParts,
  stores: PeopleStores,
  proven: ProvenIdentity,
  { visit, mayJoin }: { visit: Visit; mayJoin: boolean },
): Promise<Person | null> {
  const known = await stores.identities.find(proven.issuer, proven.subject);
  if (known) return stores.people.find(known.personId);
  const person = await accountFor(deps, stores, proven);
  if (person) return joinAccount(deps, stores, proven, { person, visit });
  if (!mayJoin && !(await isFirstAdministrator(deps, stores, proven))) throw mayNotJoin();
  return newPersonFor(deps, stores, proven, visit);
}

/**
 * Signs in the person of an identity. A new identity is linked to the account that waits for it, or creates a person.
 * @param mayJoin whether a new person may be created
 * @returns the secret for the session cookie
 * @throws ApiError forbidden, already_exists
 */
export const signInWithIdentity = (
  deps: PeopleParts,
  proven: ProvenIdentity,
  visit: Visit,
  mayJoin: boolean,
): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    const person = await personOf(deps, stores, proven, { visit, mayJoin });
    if (!person) throw new Error('An identity belongs to no person.');
    const provider = [...deps.providers.values()].find(({ issuer }) => issuer === proven.issuer);
    if (provider?.rules.groups) {
      const actor = { name: personName(person.id), from: visit.from };
      const at = deps.clock().toISOString();
      const { groups: rules } = provider.rules;
      const provisioned = provider.rules.scim && (await deps.hooks.groupsOf(stores, provider.id, person.id));
      const groups = provisioned ?? proven.groups;
      requireAllowedGroup(provider, groups);
      await applyGroups(deps, stores, person, groups, { actor, at, provider: provider.id, rules });
      await deps.hooks.providerConfirmed(stores, person.id, proven, at);
    }
    return beginSession(deps, stores, (await stores.people.find(person.id)) ?? person, visit, 'provider');
  });

/**
 * Links a provider account to a person.
 * @param personId the person who began to link it
 * @throws ApiError forbidden when that person is not signed in, already_exists when the account is linked already
 */
export async function linkIdentity(
  deps: PeopleParts,
  caller: PersonCaller | null,
  personId: string,
  proven: ProvenIdentity,
): Promise<void> {
  if (caller?.person.id !== personId)
    throw new ApiError('forbidden', 'You have signed out in the meantime: sign in and start again.');
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async (stores) => {
    if (!(await addIdentity(deps, stores, proven, { actor: caller, personId, at })))
      throw new ApiError('already_exists', 'This provider account is already linked to an account here.');
  });
}

/**
 * Ends the sessions of a user who signed out at a provider, or was removed there (OpenID Connect Back-Channel Logout 1.0). The
 * provider signs the request; a user who is not known here has no sessions.
 * @throws ApiError not_found, invalid_request
 */
export async function endSessionsAtProvider(
  deps: PeopleParts,
  { providerId, token, from }: { providerId: string; token: string; from: Origin },
): Promise<void> {
  const provider = requireProvider(deps, providerId);
  const subject = await provider.readLogout(token);
  await deps.unitOfWork(async ({ identities, sessions, audit }) => {
    const known = await identities.find(provider.issuer, subject);
    if (!known) return;
    const ended = await sessions.endAll(known.personId);
    const actor = { name: personName(known.personId), from };
    const detail = { all: true, ended, provider: provider.id };
    await audit.add(actor, deps.clock().toISOString(), { action: 'session.end', detail });
  });
}
