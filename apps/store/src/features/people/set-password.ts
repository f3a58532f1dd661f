import type { PasswordChange } from '@svc/contracts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import { recordAccountChange } from '../../domain/mail/post-mail.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts } from './people-parts.ts';
import { countAttempt, PASSWORDS } from './tries.ts';

/**
 * Changes a password, and ends all other sessions. A first password can be set only in a store without providers.
 * @throws ApiError forbidden when the current password is wrong, invalid_request for a weak new one, rate_limited
 */
export async function setPassword(
  deps: PeopleParts,
  caller: PersonCaller,
  { current, password }: PasswordChange,
): Promise<void> {
  const { id, email } = caller.person;
  await requireStrong(password, caller.person);
  const attempt = await countAttempt(deps, PASSWORDS, {
    account: email ?? id,
    address: caller.from.address,
    // A browser with a session is a known one.
    browser: caller.sessionId,
  });
  const requester = { account: id, network: networkOf(caller.from.address), turn: 'first' as const };
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
