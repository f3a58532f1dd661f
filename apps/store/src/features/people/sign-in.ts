import { beginSession, type Visit } from '../../domain/identity/begin-session.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { Quota } from '../../platform/rate.ts';
import type { PeopleParts } from './people-parts.ts';
import { countAttempt, PASSWORDS, readKnownBrowser } from './tries.ts';

const refused = () =>
  new ApiError('forbidden', 'The email address or the password is wrong. Check both and try again.');

/**
 * Signs in with a password. Neither the answer nor its timing reveals whether an account has the email address.
 * @param email as it was typed
 * @param browser the cookie of a known browser
 * @param reportQuota receives the remaining attempts
 * @returns the secret for the session cookie
 * @throws ApiError forbidden, rate_limited
 */
export async function signIn(
  deps: PeopleParts,
  { email, password, browser }: { email: string; password: string; browser: string | undefined },
  visit: Visit,
  reportQuota: (quota: Quota) => void,
): Promise<string> {
  const typed = email.trim().toLowerCase();
  const known = await readKnownBrowser(deps, browser, typed);
  const attempt = await countAttempt(deps, PASSWORDS, {
    account: typed,
    address: visit.from.address,
    browser: known,
  });
  reportQuota(attempt.quota);
  const found = await deps.people.findByEmail(typed);
  const hash = found && (await deps.passwords.find(found.id));
  const requester = {
    account: typed,
    network: networkOf(visit.from.address),
    ...(known !== null && { turn: 'first' as const }),
  };
  if (!(await deps.passwordHasher.matches(hash, password, requester)) || !found) throw refused();
  return deps.unitOfWork(async (stores) => {
    const person = await stores.people.find(found.id);
    // Hashing takes time: the owner may have changed the password in the meantime to lock out an attacker.
    if (!person || (await stores.passwords.find(found.id)) !== hash) throw refused();
    await attempt.succeed(stores);
    return beginSession(deps, stores, person, visit, 'password');
  });
}
