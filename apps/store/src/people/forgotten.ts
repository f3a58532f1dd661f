import type { Visit } from '../domain/identity/begin-session.ts';
import { type PostDeps, postMail } from '../domain/mail/post-mail.ts';
import type { PeopleDeps } from './people-stores.ts';
import { takeMail } from './tries.ts';

/**
 * Sends a link to set a new password to an address, when an account has it. The answer does not tell whether.
 * @throws ApiError rate_limited
 */
export const sendResetLink = (
  deps: PostDeps & Pick<PeopleDeps, 'unitOfWork'>,
  email: string,
  { from }: Visit,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await takeMail({ ...deps, rateLimits: stores.rateLimits }, email, from.address);
    const person = await stores.people.findByEmail(email);
    if (!person || person.suspended || (await stores.passwords.find(person.id)) === null) return;
    await postMail(deps, stores, email, { kind: 'password-reset', detail: { personId: person.id } });
  });
