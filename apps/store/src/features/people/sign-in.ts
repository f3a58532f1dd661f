import { beginSession, type Visit } from '../../domain/identity/begin-session.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Quota } from '../../platform/rate.ts';
import type { PasswordHasher } from './password.ts';
import type { PeopleDeps } from './people-stores.ts';
import { recordLoginAttempt } from './tries.ts';

export type SignInDeps = PeopleDeps & { passwordHasher: PasswordHasher };

const refused = () =>
  new ApiError('forbidden', 'The email address or the password is wrong. Check both and try again.');

/**
 * Signs in with a password. Neither the answer nor its timing reveals whether an account has the email address.
 * @param email as it was typed
 * @param reportQuota receives the remaining attempts
 * @returns the secret for the session cookie
 * @throws ApiError forbidden, rate_limited
 */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  visit: Visit,
  reportQuota: (quota: Quota) => void,
): Promise<string> {
  const typed = email.trim().toLowerCase();
  reportQuota(await recordLoginAttempt(deps, typed, visit.from.address));
  const known = await deps.people.findByEmail(typed);
  const hash = known && (await deps.passwords.find(known.id));
  if (!(await deps.passwordHasher.matches(hash, password)) || !known) throw refused();
  return deps.unitOfWork(async (stores) => {
    const person = await stores.people.find(known.id);
    // Hashing takes time: the owner may have changed the password in the meantime to lock out an attacker.
    if (!person || (await stores.passwords.find(known.id)) !== hash) throw refused();
    return beginSession(deps, stores, person, visit, 'password');
  });
}
