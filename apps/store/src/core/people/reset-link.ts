import type { InvitedPerson, NewPerson, ResetLink } from '@svc/contracts';
import { ApiError, invalidLink } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import { sameSecret } from '../../platform/secret.ts';
import { isLinkValid } from '../../platform/terms.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { type Caller, personName } from '../domain/identity/caller.ts';
import { endAccess } from '../domain/identity/end-access.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { postMail, recordAccountChange } from '../domain/mail/post-mail.ts';
import { requireOwnName } from './name-rules.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { countIn, RESET_MAILS, readKnownBrowser } from './tries.ts';

/**
 * Whether a user may recover the account with a link to its email address: always in a store without sign-in providers, as an attacker
 * who used the address first may have removed the password; else only with a password.
 */
export const mayReset = async (
  { hasProviders }: { hasProviders: boolean },
  { passwords }: Pick<PeopleStores, 'passwords'>,
  { id, suspended }: Person,
): Promise<boolean> => !suspended && (!hasProviders || (await passwords.find(id)) !== null);

/**
 * Sends a link to reset a password to an email address, if an account has it. The caller cannot see whether one has.
 * @param browser the cookie of a known browser, which has mails of its own
 * @throws ApiError rate_limited
 */
export const sendResetLink = (
  deps: PeopleParts,
  email: string,
  { from }: Visit,
  browser: string | undefined,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const known = await readKnownBrowser({ ...deps, people: stores.people }, browser, email);
    const attempt = { account: email, address: from.address, browser: known };
    await countIn({ ...deps, rateLimits: stores.rateLimits }, RESET_MAILS, attempt);
    const person = await stores.people.findByEmail(email);
    if (!person || !(await mayReset(deps, stores, person))) return;
    await postMail(deps, stores, email, { kind: 'password-reset', detail: { personId: person.id } });
  });

/** The page on which a recovered account continues: what was done in its name, in a store that lists that. */
export const recoveryPage = ({ routeNames }: Pick<PeopleParts, 'routeNames'>): string =>
  routeNames.has('recoveredActs') ? '/account/recovery' : '/account';

const LIFETIME_MS = 3_600_000;

const NOT_VALID =
  'This link is not valid: it has been used, is older than an hour, or is incomplete. If you have just set a new password, sign in with it. Otherwise request a new link.';

type LinkStores = Pick<PeopleStores, 'people' | 'passwords'>;

/**
 * The MAC of a link. It covers the password hash, the email address and the last recovery: a new password or address, and each use of
 * a link, invalidate all links of before.
 */
async function macOf(
  { resetMac }: Pick<PeopleParts, 'resetMac'>,
  { people, passwords }: LinkStores,
  id: string,
  until: number,
): Promise<string> {
  const email = (await people.find(id))?.email ?? null;
  return resetMac(JSON.stringify([id, until, await passwords.find(id), email, await people.recoveredAt(id)]));
}

/** Creates a link to recover an account once, within an hour. The store does not keep it. */
export async function resetLinkFor(
  deps: Pick<PeopleParts, 'resetMac' | 'baseUrl' | 'clock'>,
  stores: LinkStores,
  personId: string,
): Promise<ResetLink> {
  const until = deps.clock().getTime() + LIFETIME_MS;
  const mac = await macOf(deps, stores, personId, until);
  const key = `${Buffer.from(personId).toString('base64url')}.${until}.${mac}`;
  return { url: `${deps.baseUrl}/reset?key=${key}`, expiresAt: new Date(until).toISOString() };
}

/**
 * Creates such a link for a person, on behalf of an administrator.
 * @throws ApiError not_found
 */
export const makeResetLink = (deps: PeopleParts, caller: Caller, personId: string): Promise<ResetLink> =>
  deps.unitOfWork(async (stores) => {
    if (!(await stores.people.find(personId)))
      throw new ApiError('not_found', 'There is no user with this id.');
    const link = await resetLinkFor(deps, stores, personId);
    const detail = { person: personId, expiresAt: link.expiresAt };
    const event = { personId, action: 'password.link', detail } as const;
    await recordAccountChange(deps, stores, caller, deps.clock().toISOString(), event);
    return link;
  });

/**
 * Creates an account on behalf of an administrator, with a link to set its password.
 * @throws ApiError invalid_request for a name that users may not have, already_exists when another account has the email address
 */
export const invitePerson = (
  deps: PeopleParts,
  caller: Caller,
  { name, email }: NewPerson,
): Promise<InvitedPerson> =>
  deps.unitOfWork(async (stores) => {
    await requireOwnName(deps, stores, name, null);
    const at = deps.clock().toISOString();
    const initial = { emailVerified: false, role: 'person' as const, suspended: false };
    const person: Person = { id: deps.newId(), name, email, ...initial, createdAt: at };
    if (!(await stores.people.add(person)))
      throw new ApiError('already_exists', 'An account with this email address already exists.');
    const link = await resetLinkFor(deps, stores, person.id);
    await stores.audit.add(caller, at, { action: 'person.create', detail: { name, person: person.id } });
    return { person, link };
  });

/**
 * Finds the person of a link.
 * @throws ApiError not_found when the link is forged, used or expired
 */
export async function readResetLink(deps: PeopleParts, stores: PeopleStores, key: string): Promise<Person> {
  const [encoded = '', time = '', mac = ''] = key.split('.');
  const id = Buffer.from(encoded, 'base64url').toString();
  const until = Number(time);
  const isOurs = sameSecret(mac, await macOf(deps, stores, id, until));
  if (!isOurs || !isLinkValid(until, LIFETIME_MS, deps.clock())) throw invalidLink(NOT_VALID);
  const person = await stores.people.find(id);
  if (!person || person.suspended) throw invalidLink(NOT_VALID);
  return person;
}

/**
 * Recovers an account with a link: sets a new password, ends every other access from before, and signs in. The link proves the email
 * address: it was mailed there, or an administrator gave it to its owner.
 * @returns the secret for the session cookie
 * @throws ApiError not_found, invalid_request
 */
export async function resetPassword(
  deps: PeopleParts,
  { key, password }: { key: string; password: string },
  visit: Visit,
): Promise<string> {
  const owner = await readResetLink(deps, deps, key);
  await requireStrong(password, owner);
  const { address } = visit.from;
  const hash = await deps.passwordHasher.hash(password, { account: owner.id, network: networkOf(address) });
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async (stores) => {
    const person = await readResetLink(deps, stores, key);
    await stores.passwords.set(person.id, hash, at);
    await stores.people.recover(person.id, at);
    const ended = await endAccess(stores, person, at, (id) => deps.hooks.endAccess(stores, id));
    const actor = { name: personName(person.id), from: visit.from };
    const detail = { way: 'reset link', ...ended };
    const event = { personId: person.id, action: 'password.set', detail } as const;
    await recordAccountChange(deps, stores, actor, at, event);
    await deps.hooks.accountRecovered(stores, person.id);
    return beginSession(deps, stores, person, visit, 'reset link');
  });
}
