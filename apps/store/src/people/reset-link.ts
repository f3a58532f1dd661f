import type { InvitedPerson, NewPerson, ResetLink } from '@svc/contracts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { type Caller, personName } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { type Mac, sameSecret } from '../platform/secret.ts';
import type { Clock } from '../platform/system.ts';
import { linkHolds } from '../platform/terms.ts';
import { requireStrong } from './password.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import type { SignInDeps } from './sign-in.ts';

const LIFETIME_MS = 3_600_000;

export type ResetLinkDeps = {
  /** Made for this purpose alone. */
  resetMac: Mac;
  baseUrl: string;
  clock: Clock;
};

const gone = () =>
  new ApiError(
    'not_found',
    'This link has been used, is over an hour old, or was not copied whole: ask for another.',
  );

/** Bound to the present password, so that a link is worth nothing once there is another. */
const sealOf = (
  { resetMac }: Pick<ResetLinkDeps, 'resetMac'>,
  id: string,
  until: number,
  hash: string | null,
) => resetMac(JSON.stringify([id, until, hash]));

/**
 * A link by which a person sets a new password once, within an hour. Nothing is kept of it.
 * @param hash of the present password; null when they have none
 */
export function resetLinkFor(deps: ResetLinkDeps, personId: string, hash: string | null): ResetLink {
  const until = deps.clock().getTime() + LIFETIME_MS;
  const key = `${Buffer.from(personId).toString('base64url')}.${until}.${sealOf(deps, personId, until, hash)}`;
  return { url: `${deps.baseUrl}/reset?key=${key}`, expiresAt: new Date(until).toISOString() };
}

/**
 * Makes such a link for a person, when asked by an administrator.
 * @throws ApiError not_found
 */
export const makeResetLink = (
  deps: ResetLinkDeps & Pick<PeopleDeps, 'unitOfWork'>,
  caller: Caller,
  personId: string,
): Promise<ResetLink> =>
  deps.unitOfWork(async ({ people, passwords, audit }) => {
    if (!(await people.find(personId))) throw new ApiError('not_found', 'There is no person with this id.');
    const link = resetLinkFor(deps, personId, await passwords.find(personId));
    const detail = { person: personId, expiresAt: link.expiresAt };
    await audit.add(caller, deps.clock().toISOString(), { action: 'password.link', detail });
    return link;
  });

/**
 * Makes an account for a person at the word of an administrator, with the link by which they choose a password.
 * @throws ApiError already_exists when another account has the email address
 */
export const invitePerson = (
  deps: ResetLinkDeps & Pick<PeopleDeps, 'unitOfWork' | 'newId'>,
  caller: Caller,
  { name, email }: NewPerson,
): Promise<InvitedPerson> =>
  deps.unitOfWork(async ({ people, audit }) => {
    const at = deps.clock().toISOString();
    const marks = { emailVerified: false, role: 'person' as const, suspended: false };
    const person: Person = { id: deps.newId(), name, email, ...marks, createdAt: at };
    if (!(await people.add(person)))
      throw new ApiError('already_exists', 'An account has this email address already.');
    const link = resetLinkFor(deps, person.id, null);
    await audit.add(caller, at, { action: 'person.create', detail: { name, person: person.id } });
    return { person, link };
  });

/**
 * Whom a link is for.
 * @throws ApiError not_found when it is none of ours, or not any more
 */
export async function readResetLink(
  deps: ResetLinkDeps,
  { people, passwords }: Pick<PeopleStores, 'people' | 'passwords'>,
  key: string,
): Promise<Person> {
  const [encoded = '', time = '', seal = ''] = key.split('.');
  const id = Buffer.from(encoded, 'base64url').toString();
  const until = Number(time);
  const hash = await passwords.find(id);
  if (!sameSecret(seal, sealOf(deps, id, until, hash)) || !linkHolds(until, LIFETIME_MS, deps.clock()))
    throw gone();
  const person = await people.find(id);
  if (!person || person.suspended) throw gone();
  return person;
}

/**
 * Sets a new password with a link, ends all sessions of before, and signs in.
 * @returns the secret for the cookie
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
