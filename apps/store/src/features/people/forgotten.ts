import type { Visit } from '../../domain/identity/begin-session.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { type PostDeps, postMail } from '../../domain/mail/post-mail.ts';
import type { Mac } from '../../platform/secret.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
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
  deps: PostDeps & Pick<PeopleDeps, 'unitOfWork'> & { hasProviders: boolean; browserMac: Mac },
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
