import { LIMITS, type PasskeySignIn } from '@svc/contracts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import { ApiError } from '../../platform/api-error.ts';
import { recordPasskeyUse, verifyAssertion } from './passkeys.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { countOwnAttempt } from './tries.ts';

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
