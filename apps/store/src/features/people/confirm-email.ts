import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { Person } from '../../domain/identity/person-store.ts';
import { postMail } from '../../domain/mail/post-mail.ts';
import { ApiError, invalidLink } from '../../platform/api-error.ts';
import { sameSecret } from '../../platform/secret.ts';
import { isLinkValid } from '../../platform/terms.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { CONFIRM_MAILS, countIn } from './tries.ts';

const LIFETIME_MS = 24 * 3_600_000;

const NOT_VALID =
  'This link is not valid: it is older than a day, incomplete, or for a previous email address. Request a new one.';

/**
 * Creates a link that confirms the email address of a person, within a day. The store does not keep it.
 * @returns null when there is nothing to confirm
 */
export function confirmLinkFor(
  { confirmMac, baseUrl, clock }: Pick<PeopleParts, 'confirmMac' | 'baseUrl' | 'clock'>,
  { id, email, emailVerified, suspended }: Person,
): string | null {
  if (email === null || emailVerified || suspended) return null;
  const until = clock().getTime() + LIFETIME_MS;
  const mac = confirmMac(JSON.stringify([id, until, email]));
  return `${baseUrl}/confirm?key=${Buffer.from(id).toString('base64url')}.${until}.${mac}`;
}

/**
 * Refuses a link of another account than that of the caller: who only opens a mail confirms no account that someone else created with the
 * address.
 * @throws ApiError forbidden
 */
export function requireOwnLink({ id, name }: Person, caller: PersonCaller): void {
  if (caller.person.id === id) return;
  throw new ApiError(
    'forbidden',
    `This link is for the account "${name}", and you are signed in to another one. If it is yours, sign in to it and open the link again; if not, close this page.`,
    {},
    'The link is for another account',
  );
}

/**
 * Finds the person of a link, who must be the caller.
 * @throws ApiError not_found when the link is forged, expired or superseded; forbidden when it is that of another account
 */
export async function readConfirmLink(
  { confirmMac, clock }: Pick<PeopleParts, 'confirmMac' | 'clock'>,
  { people }: Pick<PeopleStores, 'people'>,
  caller: PersonCaller,
  key: string,
): Promise<Person & { email: string }> {
  const [encoded = '', time = '', mac = ''] = key.split('.');
  const person = await people.find(Buffer.from(encoded, 'base64url').toString());
  const until = Number(time);
  const email = person?.email ?? null;
  const isOurs = sameSecret(mac, confirmMac(JSON.stringify([person?.id, until, email])));
  if (!person || email === null || !isOurs || !isLinkValid(until, LIFETIME_MS, clock()) || person.suspended)
    throw invalidLink(NOT_VALID);
  requireOwnLink(person, caller);
  return { ...person, email };
}

/**
 * Marks an email address as confirmed.
 * @returns the address
 * @throws ApiError not_found, forbidden
 */
export const confirmEmail = (deps: PeopleParts, caller: PersonCaller, key: string): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    const { id, email } = await readConfirmLink(deps, stores, caller, key);
    await stores.people.change(id, { emailVerified: true });
    const at = deps.clock().toISOString();
    await stores.audit.add(caller, at, { action: 'email.confirm' });
    return email;
  });

/**
 * Sends such a link to the address of the signed-in person.
 * @returns the address
 * @throws ApiError already_handled when there is nothing to confirm, rate_limited
 */
export const sendConfirmation = (deps: PeopleParts, { person, from }: PersonCaller): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    if (person.email === null || person.emailVerified) {
      throw new ApiError('already_handled', 'Your account has no email address to confirm.');
    }
    const attempt = { account: person.email, address: from.address, browser: null };
    await countIn({ ...deps, rateLimits: stores.rateLimits }, CONFIRM_MAILS, attempt);
    await postMail(deps, stores, person.email, { kind: 'confirm-email', detail: { personId: person.id } });
    return person.email;
  });
