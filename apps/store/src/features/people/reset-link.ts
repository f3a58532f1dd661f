import type { InvitedPerson, NewPerson, ResetLink } from '@svc/contracts';
import { beginSession, type Visit } from '../../domain/identity/begin-session.ts';
import { type Caller, personName } from '../../domain/identity/caller.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type Mac, sameSecret } from '../../platform/secret.ts';
import type { Clock } from '../../platform/system.ts';
import { isLinkValid } from '../../platform/terms.ts';
import { requireStrong } from './password.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import type { SignInDeps } from './sign-in.ts';

const LIFETIME_MS = 3_600_000;

export type ResetLinkDeps = {
  /** A MAC for this purpose only. */
  resetMac: Mac;
  baseUrl: string;
  clock: Clock;
};

const invalidLink = () =>
  new ApiError(
    'not_found',
    'This link is not valid: it has been used, is older than an hour, or is incomplete. Request a new one.',
    {},
    'Link not valid',
  );

/** The MAC of a link. It covers the current password hash, so that a new password invalidates the link. */
const macOf = (
  { resetMac }: Pick<ResetLinkDeps, 'resetMac'>,
  id: string,
  until: number,
  hash: string | null,
) => resetMac(JSON.stringify([id, until, hash]));

/**
 * Creates a link to set a new password once, within an hour. The store does not keep it.
 * @param hash the hash of the current password; null when there is none
 */
export function resetLinkFor(deps: ResetLinkDeps, personId: string, hash: string | null): ResetLink {
  const until = deps.clock().getTime() + LIFETIME_MS;
  const key = `${Buffer.from(personId).toString('base64url')}.${until}.${macOf(deps, personId, until, hash)}`;
  return { url: `${deps.baseUrl}/reset?key=${key}`, expiresAt: new Date(until).toISOString() };
}

/**
 * Creates such a link for a person, on behalf of an administrator.
 * @throws ApiError not_found
 */
export const makeResetLink = (
  deps: ResetLinkDeps & Pick<PeopleDeps, 'unitOfWork'>,
  caller: Caller,
  personId: string,
): Promise<ResetLink> =>
  deps.unitOfWork(async ({ people, passwords, audit }) => {
    if (!(await people.find(personId))) throw new ApiError('not_found', 'There is no user with this id.');
    const link = resetLinkFor(deps, personId, await passwords.find(personId));
    const detail = { person: personId, expiresAt: link.expiresAt };
    await audit.add(caller, deps.clock().toISOString(), { action: 'password.link', detail });
    return link;
  });

/**
 * Creates an account on behalf of an administrator, with a link to set its password.
 * @throws ApiError already_exists when another account has the email address
 */
export const invitePerson = (
  deps: ResetLinkDeps & Pick<PeopleDeps, 'unitOfWork' | 'newId'>,
  caller: Caller,
  { name, email }: NewPerson,
): Promise<InvitedPerson> =>
  deps.unitOfWork(async ({ people, audit }) => {
    const at = deps.clock().toISOString();
    const initial = { emailVerified: false, role: 'person' as const, suspended: false };
    const person: Person = { id: deps.newId(), name, email, ...initial, createdAt: at };
    if (!(await people.add(person)))
      throw new ApiError('already_exists', 'An account with this email address already exists.');
    const link = resetLinkFor(deps, person.id, null);
    await audit.add(caller, at, { action: 'person.create', detail: { name, person: person.id } });
    return { person, link };
  });

/**
 * Finds the person of a link.
 * @throws ApiError not_found when the link is forged, used or expired
 */
export async function readResetLink(
  deps: ResetLinkDeps,
  { people, passwords }: Pick<PeopleStores, 'people' | 'passwords'>,
  key: string,
): Promise<Person> {
  const [encoded = '', time = '', mac = ''] = key.split('.');
  const id = Buffer.from(encoded, 'base64url').toString();
  const until = Number(time);
  const hash = await passwords.find(id);
  if (!sameSecret(mac, macOf(deps, id, until, hash)) || !isLinkValid(until, LIFETIME_MS, deps.clock()))
    throw invalidLink();
  const person = await people.find(id);
  if (!person || person.suspended) throw invalidLink();
  return person;
}

/**
 * Sets a new password with a link, ends all existing sessions, and signs in.
 * @returns the secret for the session cookie
 * @throws ApiError not_found, invalid_request
 */
export async function resetPassword(
  deps: SignInDeps & ResetLinkDeps,
  { key, password }: { key: string; password: string },
  visit: Visit,
): Promise<string> {
  await requireStrong(password, await readResetLink(deps, deps, key));
  const hash = await deps.passwordHasher.hash(password);
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async (stores) => {
    const person = await readResetLink(deps, stores, key);
    await stores.passwords.set(person.id, hash, at);
    const sessionsEnded = await stores.sessions.endAll(person.id);
    const actor = { name: personName(person.id), from: visit.from };
    await stores.audit.add(actor, at, {
      action: 'password.set',
      detail: { way: 'reset link', sessionsEnded },
    });
    return beginSession(deps, stores, person, visit, 'reset link');
  });
}
