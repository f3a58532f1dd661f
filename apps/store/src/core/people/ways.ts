import { LIMITS, type PasskeySignIn, type PasswordChange } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { recordAccountChange } from '../domain/mail/post-mail.ts';
import { recordPasskeyUse, verifyAssertion } from './passkeys.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { countOwnAttempt } from './tries.ts';

/**
 * Changes a password, and ends all other sessions. A first password can be set only in a store without providers.
 * @throws ApiError forbidden when the current password is wrong, invalid_request for a weak new one, rate_limited
 */
export async function setPassword(
  deps: PeopleParts,
  caller: PersonCaller,
  { current, password }: PasswordChange,
): Promise<void> {
  const { id } = caller.person;
  await requireStrong(password, caller.person);
  const { attempt, requester } = await countOwnAttempt(deps, caller);
  const currentHash = await deps.passwords.find(id);
  if (currentHash === null && deps.hasProviders)
    throw new ApiError(
      'forbidden',
      'Accounts of this store have no passwords: sign in with a provider or a passkey.',
    );
  if (currentHash !== null && !(await deps.passwordHasher.matches(currentHash, current ?? '', requester)))
    throw new ApiError('forbidden', 'The current password is wrong.');
  const hash = await deps.passwordHasher.hash(password, requester);
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async (stores) => {
    const { passwords, sessions } = stores;
    await attempt.succeed(stores);
    if ((await passwords.find(id)) !== currentHash)
      throw new ApiError('forbidden', 'The password has just been changed elsewhere: sign in again.');
    await passwords.set(id, hash, at);
    const ended = await sessions.endAll(id, caller.sessionId);
    const detail = { way: 'account', sessionsEnded: ended };
    await recordAccountChange(deps, stores, caller, at, { personId: id, action: 'password.set', detail });
  });
}

const missing = (what: string) => new ApiError('not_found', `Your account has no such ${what}.`);

/** The number of sign-in methods of a person. Accounts at providers that the store no longer uses do not count. */
async function countMethods(
  { providers }: Pick<PeopleParts, 'providers'>,
  { passwords, passkeys, identities }: PeopleStores,
  personId: string,
): Promise<number> {
  const issuers = new Set(Array.from(providers.values(), ({ issuer }) => issuer));
  const usable = (await identities.of(personId)).filter(({ issuer }) => issuers.has(issuer));
  const password = await passwords.find(personId);
  return usable.length + (await passkeys.of(personId)).length + (password === null ? 0 : 1);
}

/** Removes a sign-in method, unless it is the last one. Concurrent removals run one after the other. */
const removeMethod = (
  deps: PeopleParts,
  caller: PersonCaller,
  remove: (stores: PeopleStores, personId: string, at: string) => Promise<void>,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const { id } = caller.person;
    await remove(stores, id, deps.clock().toISOString());
    if ((await countMethods(deps, stores, id)) === 0)
      throw new ApiError('forbidden', 'This is your only way to sign in: add another one first.');
  });

/**
 * Removes the password of the caller.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const removePassword = (deps: PeopleParts, caller: PersonCaller): Promise<void> =>
  removeMethod(deps, caller, async (stores, id, at) => {
    if (!(await stores.passwords.remove(id))) throw missing('password');
    await recordAccountChange(deps, stores, caller, at, { personId: id, action: 'password.remove' });
  });

/**
 * Removes a passkey of the caller.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const removePasskey = (deps: PeopleParts, caller: PersonCaller, passkey: string): Promise<void> =>
  removeMethod(deps, caller, async (stores, id, at) => {
    const label = (await stores.passkeys.of(id)).find((one) => one.id === passkey)?.label ?? '';
    if (!(await stores.passkeys.remove(id, passkey))) throw missing('passkey');
    const event = { personId: id, what: label, action: 'passkey.remove', detail: { passkey } } as const;
    await recordAccountChange(deps, stores, caller, at, event);
  });

/**
 * Unlinks a provider account of the caller.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const unlinkIdentity = (deps: PeopleParts, caller: PersonCaller, identityId: string): Promise<void> =>
  removeMethod(deps, caller, async (stores, id, at) => {
    const identity = (await stores.identities.of(id)).find(({ id: candidate }) => candidate === identityId);
    if (!identity) throw missing('provider account');
    await stores.identities.remove(id, identityId);
    const { issuer, label } = identity;
    const detail = { issuer, account: label };
    const event = { personId: id, what: label, action: 'identity.remove', detail } as const;
    await recordAccountChange(deps, stores, caller, at, event);
  });

/**
 * Renames a passkey of the caller.
 * @throws ApiError not_found
 */
export const renamePasskey = (
  deps: PeopleParts,
  caller: PersonCaller,
  passkey: string,
  label: string,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const personId = caller.person.id;
    if (!(await stores.passkeys.rename(personId, passkey, label))) throw missing('passkey');
    const event = { personId, action: 'passkey.rename', detail: { passkey, label } } as const;
    await recordAccountChange(deps, stores, caller, deps.clock().toISOString(), event);
  });

/** Records a proof in the session of the caller. Run it in a transaction. @returns until when it is accepted */
async function record(
  { clock }: Pick<PeopleParts, 'clock'>,
  { sessions, audit }: Pick<PeopleStores, 'sessions' | 'audit'>,
  caller: PersonCaller,
  way: 'password' | 'passkey',
): Promise<string> {
  const now = clock();
  const at = now.toISOString();
  if (!(await sessions.prove(caller.person.id, caller.sessionId, at, way === 'passkey')))
    throw new ApiError('unauthorized', 'This session has ended: sign in again.');
  await audit.add(caller, at, { action: 'session.prove', detail: { session: caller.sessionId, way } });
  return new Date(now.getTime() + LIMITS.people.proofMs).toISOString();
}

/**
 * Proves the identity of the caller with their password.
 * @returns until when the proof is accepted
 * @throws ApiError forbidden, rate_limited
 */
export async function provePassword(
  deps: PeopleParts,
  caller: PersonCaller,
  password: string,
): Promise<string> {
  const { id } = caller.person;
  const { attempt, requester } = await countOwnAttempt(deps, caller);
  const hash = await deps.passwords.find(id);
  const wrong = new ApiError('forbidden', 'The password is wrong.');
  if (!(await deps.passwordHasher.matches(hash, password, requester))) throw wrong;
  return deps.unitOfWork(async (stores) => {
    // Hashing takes time: the password may have been changed in the meantime.
    if ((await stores.passwords.find(id)) !== hash) throw wrong;
    await attempt.succeed(stores);
    return record(deps, stores, caller, 'password');
  });
}

/**
 * Proves the identity of the caller with a passkey of theirs.
 * @param cookie the ceremony's cookie
 * @returns until when the proof is accepted
 * @throws ApiError forbidden
 */
export async function proveWithPasskey(
  deps: PeopleParts,
  caller: PersonCaller,
  cookie: string | undefined,
  credential: PasskeySignIn['credential'],
): Promise<string> {
  const { passkey, counter, begunBy } = await verifyAssertion(deps, 'passkey.prove', cookie, credential);
  if (passkey.personId !== caller.person.id || begunBy !== caller.person.id)
    throw new ApiError('forbidden', 'This passkey belongs to another account.');
  return deps.unitOfWork(async (stores) => {
    await recordPasskeyUse(stores, passkey.id, counter, deps.clock());
    return record(deps, stores, caller, 'passkey');
  });
}
