import type { Visit } from '../../domain/identity/begin-session.ts';
import { type PostDeps, postMail } from '../../domain/mail/post-mail.ts';
import type { PeopleDeps } from './people-stores.ts';
import { countMail } from './tries.ts';

/**
 * Sends a link to reset a password to an email address, if an account has it. The caller cannot see whether one has.
 * @throws ApiError rate_limited
 */
export const sendResetLink = (
  deps: PostDeps & Pick<PeopleDeps, 'unitOfWork'>,
  email: string,
  { from }: Visit,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await countMail({ ...deps, rateLimits: stores.rateLimits }, email, from.address);
    const person = await stores.people.findByEmail(email);
    if (!person || person.suspended || (await stores.passwords.find(person.id)) === null) return;
    await postMail(deps, stores, email, { kind: 'password-reset', detail: { personId: person.id } });
  });
