import { LIMITS } from '@svc/contracts';
import { cleanLine, hasVisible } from '@svc/text';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { type PersonCaller, personName } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { beginCeremony, endCeremony } from './ceremony.ts';
import { mayNotJoin } from './may-join.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import type { ProvenIdentity, Provider, Providers } from './provider.ts';
import { addPerson } from './sign-up.ts';

export type IdentityDeps = PeopleDeps & { providers: Providers; baseUrl: string };

/** Each provider comes back to an address of its own, so that none can answer for another (RFC 9700 section 4.4.2.2). */
const redirectUriOf = ({ baseUrl }: Pick<IdentityDeps, 'baseUrl'>, { id }: Provider): string =>
  `${baseUrl}/sign-in/${id}/callback`;

function requireProvider({ providers }: Pick<IdentityDeps, 'providers'>, id: string): Provider {
  const provider = providers.get(id);
  if (!provider) throw new ApiError('not_found', 'This store has no such provider.');
  return provider;
}

/**
 * Begins to sign in with a provider, or to add an account there to one's own.
 * @param person who adds; null for who signs in
 * @returns the secret for the ceremony's cookie, and where the browser goes
 * @throws ApiError not_found, rate_limited
 */
export async function beginWithProvider(
  deps: IdentityDeps,
  providerId: string,
  person: Person | null,
  address: string | null,
): Promise<{ secret: string; url: string }> {
  const provider = requireProvider(deps, providerId);
  const what = { kind: 'provider', provider: providerId, personId: person?.id ?? null } as const;
  const { secret, secrets } = await beginCeremony(deps, what, address);
  const url = await provider.begin(secrets, redirectUriOf(deps, provider));
  return { secret, url: url.href };
}

type Return = { providerId: string; secret: string | undefined; query: string };

/**
 * Reads what a provider sent a browser back with.
 * @returns who the provider says it is, and the person who adds that to their account; null for who signs in
 * @throws ApiError not_found, forbidden
 */
export async function endWithProvider(
  deps: IdentityDeps,
  { providerId, secret, query }: Return,
): Promise<{ proven: ProvenIdentity; personId: string | null }> {
  const provider = requireProvider(deps, providerId);
  const { ceremony, secrets } = await endCeremony(deps, 'provider', secret);
  if (ceremony.provider !== providerId)
    throw new ApiError('forbidden', 'Another provider was asked than the one that answered: begin again.');
  const proven = await provider.end(secrets, new URL(redirectUriOf(deps, provider) + query));
  return { proven, personId: ceremony.personId };
}

/** What is kept of the name of an account at a provider, in characters. */
const MAX_LABEL = 300;

const addIdentity = (
  { newId }: Pick<PeopleDeps, 'newId'>,
  { identities }: Pick<PeopleStores, 'identities'>,
  { issuer, subject, label }: ProvenIdentity,
  personId: string,
  createdAt: string,
): Promise<boolean> =>
  identities.add({ id: newId(), issuer, subject, personId, label: cleanLine(label, MAX_LABEL), createdAt });

/** What a provider calls a person, as far as it can be seen. */
const cleanName = ({ name, label }: ProvenIdentity): string =>
  [name, label].map((text) => cleanLine(text, LIMITS.people.name)).find(hasVisible) ?? 'Unnamed';

/** A person whom only a provider knows. An email address that another has does not make them that person. */
async function newPersonFor(
  deps: IdentityDeps,
  stores: PeopleStores,
  proven: ProvenIdentity,
  visit: Visit,
): Promise<Person> {
  const { email, emailVerified } = proven;
  if (email !== null && (await stores.people.findByEmail(email))) {
    throw new ApiError(
      'already_exists',
      'There is an account with your email address already. Sign in to it as you did before, and add this provider on the page of your account.',
    );
  }
  // What a provider sends cannot be corrected here: it is cleaned, where a typed name would be refused.
  const name = cleanName(proven);
  const kept = { name, email: emailVerified ? email : null, emailVerified: emailVerified && email !== null };
  const person = await addPerson(deps, stores, kept, visit.from);
  await addIdentity(deps, stores, proven, person.id, person.createdAt);
  const actor = { name: personName(person.id), from: visit.from };
  const detail = { issuer: proven.issuer, account: proven.label };
  await stores.audit.add(actor, person.createdAt, { action: 'identity.add', detail });
  return person;
}

/**
 * Signs in the person for whom a provider vouches. Who comes for the first time becomes a person.
 * @param mayJoin whether a new person may be made
 * @returns the secret for the cookie
 * @throws ApiError forbidden, already_exists
 */
export const signInWithIdentity = (
  deps: IdentityDeps,
  proven: ProvenIdentity,
  visit: Visit,
  mayJoin: boolean,
): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    const known = await stores.identities.find(proven.issuer, proven.subject);
    if (!known && !mayJoin) throw mayNotJoin();
    const person = known
      ? await stores.people.find(known.personId)
      : await newPersonFor(deps, stores, proven, visit);
    if (!person) throw new Error('An identity is of nobody.');
    return beginSession(deps, stores, person, visit, 'provider');
  });

/**
 * Adds an account at a provider to one's own.
 * @param personId who began to add it
 * @throws ApiError forbidden when another person is signed in by now, already_exists when it is another person's
 */
export async function linkIdentity(
  deps: IdentityDeps,
  caller: PersonCaller | null,
  personId: string,
  proven: ProvenIdentity,
): Promise<void> {
  if (caller?.person.id !== personId)
    throw new ApiError('forbidden', 'You have signed out since you began: sign in, and begin again.');
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async (stores) => {
    if (!(await addIdentity(deps, stores, proven, personId, at)))
      throw new ApiError(
        'already_exists',
        'This account signs a person in already, and cannot be added again.',
      );
    const detail = { issuer: proven.issuer, account: proven.label };
    await stores.audit.add(caller, at, { action: 'identity.add', detail });
  });
}
