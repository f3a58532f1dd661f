import type { PasswordChange } from '@svc/contracts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { ApiError } from '../platform/api-error.ts';
import { requireStrong } from './password.ts';
import type { SignInDeps } from './sign-in.ts';
import { recordLoginAttempt } from './tries.ts';

export type SetPasswordDeps = SignInDeps & {
  /** Whether people sign in by providers here; then nobody gets a first password. */
  hasProviders: boolean;
};

/**
 * Sets a new password in place of the present one, and ends all other sessions. Who has none yet gets one only where
 * passwords are the way to sign in.
 * @throws ApiError forbidden when the present one is not right, invalid_request for a bad new one, rate_limited
 */
export async function setPassword(
  deps: SetPasswordDeps,
  caller: PersonCaller,
  { current, password }: PasswordChange,
): Promise<void> {
  const { id, email } = caller.person;
  await requireStrong(password, caller.person);
  await recordLoginAttempt(deps, email ?? id, caller.from.address);
  const held = await deps.passwords.find(id);
  if (held === null && deps.hasProviders)
    throw new ApiError('forbidden', 'This store has no passwords: sign in with a provider or a passkey.');
  if (held !== null && !(await deps.passwordHasher.matches(held, current ?? '')))
    throw new ApiError('forbidden', 'The present password is not right.');
  const hash = await deps.passwordHasher.hash(password);
  const at = deps.clock().toISOString();
  await deps.unitOfWork(async ({ passwords, sessions, audit }) => {
    if ((await passwords.find(id)) !== held)
      throw new ApiError('forbidden', 'The password was changed just now, elsewhere.');
    await passwords.set(id, hash, at);
    const ended = await sessions.endAll(id, caller.sessionId);
    await audit.add(caller, at, { action: 'password.set', detail: { way: 'account', sessionsEnded: ended } });
  });
}
