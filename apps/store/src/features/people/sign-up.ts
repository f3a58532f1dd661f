import type { PasskeySignUp } from '@svc/contracts';
import type { Origin } from '../../domain/audit/audit-log.ts';
import { beginSession, type Visit } from '../../domain/identity/begin-session.ts';
import { personName } from '../../domain/identity/caller.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { Quota } from '../../platform/rate.ts';
import { requireOwnName } from './name-rules.ts';
import { beginRegistration, storePasskey, verifyRegistration } from './passkeys.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { countAttempt, SIGN_UPS } from './tries.ts';

export type NewPerson = Pick<Person, 'name' | 'email' | 'emailVerified'> & {
  /** Default: a new one. */
  id?: string;
};

const taken = (): ApiError =>
  new ApiError(
    'already_exists',
    'No account was created with this email address. If you already have an account, sign in to it.',
  );

/**
 * Adds a person. Call it in the transaction of their sign-up.
 * @throws ApiError already_exists when another account has the email address
 */
export async function addPerson(
  { clock, newId }: Pick<PeopleParts, 'clock' | 'newId'>,
  { people, audit }: Pick<PeopleStores, 'people' | 'audit'>,
  newPerson: NewPerson,
  from: Origin,
): Promise<Person> {
  const createdAt = clock().toISOString();
  const person: Person = { id: newId(), ...newPerson, role: 'person', suspended: false, createdAt };
  if (!(await people.add(person))) throw taken();
  const detail = { name: person.name };
  await audit.add({ name: personName(person.id), from }, createdAt, { action: 'person.create', detail });
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
