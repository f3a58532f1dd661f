import type { PasskeySignUp } from '@svc/contracts';
import { ApiError, invalidLink } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { Quota } from '../../platform/rate.ts';
import { sameSecret } from '../../platform/secret.ts';
import type { Origin } from '../domain/audit/audit-log.ts';
import { beginSession, requireActive, type Visit } from '../domain/identity/begin-session.ts';
import { type PersonCaller, personName } from '../domain/identity/caller.ts';
import type { Person, PersonStore } from '../domain/identity/person-store.ts';
import { type PostDeps, type PostStores, postMail } from '../domain/mail/post-mail.ts';
import { requireOwnName } from './name-rules.ts';
import { beginRegistration, storePasskey, verifyRegistration } from './passkeys.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { countAttempt, SIGN_UPS } from './tries.ts';

export type NewPerson = Pick<Person, 'name' | 'email' | 'emailVerified'> & {
  /** Default: a new one. */
  id?: string;
};

const TAKEN =
  'No account was created with this email address. If you already have an account, sign in to it.';

const taken = (): ApiError =>
  new ApiError('already_exists', TAKEN, {
    issues: [{ code: 'already_exists', level: 'error', path: '/email', message: TAKEN }],
  });

/**
 * Adds a person, who gets a mail with a link that confirms the address. Call it in the transaction of their sign-up.
 * @throws ApiError already_exists when another account has the email address
 */
export async function addPerson(
  deps: PostDeps & Pick<PeopleParts, 'newId' | 'sendsMail'>,
  stores: PostStores & Pick<PeopleStores, 'people' | 'audit'>,
  newPerson: NewPerson,
  from: Origin,
): Promise<Person> {
  const createdAt = deps.clock().toISOString();
  const person: Person = { id: deps.newId(), ...newPerson, role: 'person', suspended: false, createdAt };
  if (!(await stores.people.add(person))) throw taken();
  const detail = { name: person.name };
  await stores.audit.add({ name: personName(person.id), from }, createdAt, {
    action: 'person.create',
    detail,
  });
  if (deps.sendsMail && person.email !== null && !person.emailVerified)
    await postMail(deps, stores, person.email, { kind: 'confirm-email', detail: { personId: person.id } });
  return person;
}

/** Counts an attempt to sign up, and reports how many remain. @throws ApiError rate_limited */
async function countSignUp(
  deps: Pick<PeopleParts, 'unitOfWork' | 'clock'>,
  email: string,
  { from: { address } }: Visit,
  reportQuota: (quota: Quota) => void,
) {
  const attempt = await countAttempt(deps, SIGN_UPS, { account: email, address, browser: null });
  reportQuota(attempt.quota);
  return attempt;
}

/**
 * Creates an account with a password, and signs in. The email address is not confirmed.
 * @param reportQuota receives the remaining sign-ups
 * @returns the secret for the session cookie
 * @throws ApiError invalid_request for a weak password or a name that is not free, already_exists, rate_limited
 */
export async function signUp(
  deps: PeopleParts,
  { name, email, password }: { name: string; email: string; password: string },
  visit: Visit,
  reportQuota: (quota: Quota) => void,
): Promise<string> {
  await requireStrong(password, { name, email });
  const attempt = await countSignUp(deps, email, visit, reportQuota);
  const requester = { account: email, network: networkOf(visit.from.address), turn: 'last' } as const;
  const hash = await deps.passwordHasher.hash(password, requester);
  return deps.unitOfWork(async (stores) => {
    await requireOwnName(deps, stores, name, null);
    const person = await addPerson(deps, stores, { name, email, emailVerified: false }, visit.from);
    await attempt.succeed(stores);
    await stores.passwords.set(person.id, hash, person.createdAt);
    return beginSession(deps, stores, person, visit, 'password');
  });
}

/** The label of the passkey with which an account was created. */
const FIRST_PASSKEY = 'First passkey';

/**
 * Begins to create an account with a passkey. What would refuse the account is checked first: a device keeps its passkey also when the
 * store refuses it.
 * @param reportQuota receives the remaining sign-ups
 * @returns the text for the ceremony's cookie, and the options for the browser
 * @throws ApiError invalid_request for a name that is not free, already_exists, rate_limited
 */
export async function beginPasskeySignUp(
  deps: PeopleParts,
  { name, email }: { name: string; email: string },
  visit: Visit,
  reportQuota: (quota: Quota) => void,
) {
  const attempt = await countSignUp(deps, email, visit, reportQuota);
  await deps.unitOfWork(async (stores) => {
    await requireOwnName(deps, stores, name, null);
    if (await stores.people.findByEmail(email)) throw taken();
    await attempt.succeed(stores);
  });
  return beginRegistration(deps, 'passkey.sign-up', { id: deps.newId(), name, email });
}

/**
 * Creates an account with a passkey and without a password, and signs in. The email address is not confirmed.
 * @param cookie the ceremony's cookie
 * @returns the secret for the session cookie
 * @throws ApiError forbidden, invalid_request for a name that is not free, already_exists, rate_limited
 */
export async function signUpWithPasskey(
  deps: PeopleParts,
  cookie: string | undefined,
  { name, email, credential }: PasskeySignUp,
  visit: Visit,
  reportQuota: (quota: Quota) => void,
): Promise<string> {
  const attempt = await countSignUp(deps, email, visit, reportQuota);
  const created = { label: FIRST_PASSKEY, credential };
  const passkey = await verifyRegistration(deps, 'passkey.sign-up', cookie, created);
  return deps.unitOfWork(async (stores) => {
    await requireOwnName(deps, stores, name, null);
    const newPerson = { id: passkey.personId, name, email, emailVerified: false };
    const person = await addPerson(deps, stores, newPerson, visit.from);
    await attempt.succeed(stores);
    await storePasskey(stores, passkey);
    const detail = { passkey: passkey.id, label: passkey.label };
    const actor = { name: personName(person.id), from: visit.from };
    await stores.audit.addAccountChange(actor, person.createdAt, { action: 'passkey.add', detail });
    return beginSession(deps, stores, person, visit, 'passkey');
  });
}

const NOT_VALID =
  'This page sets up a new store. Open it with the complete link that the store writes to its log at the start. If the store already has an administrator, the link no longer works: sign in instead.';

/** The link that creates the first administrator; null when there is one. */
export async function setupLink(
  deps: Pick<PeopleParts, 'people' | 'setupKey' | 'baseUrl'>,
): Promise<string | null> {
  if (await deps.people.hasAdministrator()) return null;
  return `${deps.baseUrl}/setup?key=${deps.setupKey}`;
}

/** Whether a key is that of the setup link, and the store has no administrator yet. */
export const isSetupKey = async (
  { setupKey }: Pick<PeopleParts, 'setupKey'>,
  people: Pick<PersonStore, 'hasAdministrator'>,
  key: string,
): Promise<boolean> => sameSecret(key, setupKey) && !(await people.hasAdministrator());

/**
 * Refuses a wrong key, and any key once there is an administrator.
 * @throws ApiError not_found
 */
export async function requireSetupKey(
  deps: Pick<PeopleParts, 'setupKey'>,
  { people }: { people: Pick<PersonStore, 'hasAdministrator'> },
  key: string,
): Promise<void> {
  if (!(await isSetupKey(deps, people, key))) throw invalidLink(NOT_VALID, 'Setup link not valid');
}

const promote = async (
  { people, audit }: PeopleStores,
  { id, from, at }: { id: string; from: Visit['from']; at: string },
) => {
  const person = await people.change(id, { role: 'administrator' });
  await people.beginGrace(at, id);
  const detail = { person: id, role: 'administrator', way: 'setup link' };
  await audit.add({ name: personName(id), from }, at, { action: 'person.change', detail });
  if (!person) throw invalidLink(NOT_VALID, 'Setup link not valid');
  return person;
};

/**
 * Makes the signed-in person the first administrator.
 * @throws ApiError not_found for a wrong key, or when another person was first
 */
export const becomeAdministrator = (deps: PeopleParts, caller: PersonCaller, key: string): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await requireSetupKey(deps, stores, key);
    requireActive(caller.person);
    const at = deps.clock().toISOString();
    await promote(stores, { id: caller.person.id, from: caller.from, at });
  });

/** The form of a new administrator. */
export type FirstPerson = { name: string; email: string; password: string };

/**
 * Creates the first administrator, and signs in.
 * @returns the secret for the session cookie
 * @throws ApiError not_found for a wrong key, or when another person was first; invalid_request, already_exists
 */
export async function setUp(
  deps: PeopleParts,
  key: string,
  { name, email, password }: FirstPerson,
  visit: Visit,
): Promise<string> {
  await requireSetupKey(deps, deps, key);
  await requireStrong(password, { name, email });
  const hash = await deps.passwordHasher.hash(password);
  return deps.unitOfWork(async (stores) => {
    await requireSetupKey(deps, stores, key);
    await requireOwnName(deps, stores, name, null);
    const added = await addPerson(deps, stores, { name, email, emailVerified: false }, visit.from);
    await stores.passwords.set(added.id, hash, added.createdAt);
    const person = await promote(stores, { id: added.id, from: visit.from, at: added.createdAt });
    return beginSession(deps, stores, person, visit, 'setup link');
  });
}
