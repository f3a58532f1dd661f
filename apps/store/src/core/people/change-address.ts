import { ApiError, invalidLink } from '../../platform/api-error.ts';
import { sameSecret } from '../../platform/secret.ts';
import { isLinkValid } from '../../platform/terms.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { endAccess } from '../domain/identity/end-access.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { mailUser, postMail } from '../domain/mail/post-mail.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { mayReset, resetLinkFor } from './reset-link.ts';
import { CONFIRM_MAILS, countIn } from './tries.ts';

const CONFIRM_MS = 24 * 3_600_000;

const CONFIRM_NOT_VALID =
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
  const until = clock().getTime() + CONFIRM_MS;
  const mac = confirmMac(JSON.stringify([id, until, email]));
  return `${baseUrl}/confirm?key=${Buffer.from(id).toString('base64url')}.${until}.${mac}`;
}

/**
 * Refuses a link of another account than that of the caller: who only opens a mail confirms no account that someone else created with the
 * address.
 * @throws ApiError forbidden
 */
function requireOwnLink({ id, name }: Person, caller: PersonCaller): void {
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
  if (!person || email === null || !isOurs || !isLinkValid(until, CONFIRM_MS, clock()) || person.suspended)
    throw invalidLink(CONFIRM_NOT_VALID);
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

type LinkParts = Pick<
  PeopleParts,
  'people' | 'passwords' | 'clock' | 'baseUrl' | 'hasProviders' | 'resetMac' | 'addressMac' | 'confirmMac'
>;

/** The links of mails, created when a mail is sent; null when the mail has become pointless. */
export const mailedLinks = (deps: LinkParts) => ({
  async resetLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    return person && (await mayReset(deps, deps, person))
      ? (await resetLinkFor(deps, deps, personId)).url
      : null;
  },
  async confirmLink(personId: string): Promise<string | null> {
    const person = await deps.people.find(personId);
    return person && confirmLinkFor(deps, person);
  },
  addressLink: (personId: string, email: string) => addressLinkFor(deps, personId, email),
});

const LIFETIME_MS = 3_600_000;

const NOT_VALID =
  'This link is not valid: it has been used, is older than an hour, or is incomplete. Request a new one on your account page.';

const taken = () =>
  new ApiError('already_exists', 'Another account has this email address: your address was not changed.');

/** The MAC of a link. It covers the present address and the last recovery, which invalidate all links of before. */
async function macOf(
  { addressMac }: Pick<PeopleParts, 'addressMac'>,
  { people }: Pick<PeopleStores, 'people'>,
  [id, until, email]: [string, number, string],
): Promise<string> {
  const present = (await people.find(id))?.email ?? null;
  return addressMac(JSON.stringify([id, until, email, present, await people.recoveredAt(id)]));
}

/** Creates a link to give an account a new address, within an hour. The store does not keep it; null for a suspended user. */
export async function addressLinkFor(
  deps: Pick<PeopleParts, 'addressMac' | 'baseUrl' | 'clock' | 'people'>,
  personId: string,
  email: string,
): Promise<string | null> {
  const person = await deps.people.find(personId);
  if (!person || person.suspended) return null;
  const until = deps.clock().getTime() + LIFETIME_MS;
  const encoded = [personId, email].map((text) => Buffer.from(text).toString('base64url'));
  const mac = await macOf(deps, deps, [personId, until, email]);
  return `${deps.baseUrl}/change-address?key=${encoded.join('.')}.${until}.${mac}`;
}

/**
 * Sends such a link to a new address. The answer is the same when another account has the address, which then gets no mail.
 * @throws ApiError already_handled, forbidden, rate_limited
 */
export const requestAddress = (
  deps: PeopleParts,
  { person, sessionId, from }: PersonCaller,
  email: string,
): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    if (person.email === email)
      throw new ApiError('already_handled', 'Your account has this email address already.');
    if (!(await mayReset(deps, stores, person)))
      throw new ApiError('forbidden', 'Your sign-in provider proves your address: change it there.');
    const counted = { ...deps, rateLimits: stores.rateLimits };
    // Of the caller, who could otherwise send mails to many addresses, and of the recipient.
    await countIn(counted, CONFIRM_MAILS, { account: person.id, address: null, browser: sessionId });
    await countIn(counted, CONFIRM_MAILS, { account: email, address: from.address, browser: null });
    if (await stores.people.findByEmail(email)) return email;
    await postMail(deps, stores, email, { kind: 'new-address', detail: { personId: person.id, email } });
    return email;
  });

/**
 * Reads a link of the caller, who must be signed in: an attacker who requests the address of a victim gets nothing when the victim opens
 * the link.
 * @returns the account and its new address
 * @throws ApiError not_found, forbidden
 */
export async function readAddressLink(
  deps: Pick<PeopleParts, 'addressMac' | 'clock'>,
  stores: PeopleStores,
  caller: PersonCaller,
  key: string,
): Promise<{ person: Person; email: string }> {
  const [encodedId = '', encodedEmail = '', time = '', mac = ''] = key.split('.');
  const [id, email] = [encodedId, encodedEmail].map((text) => Buffer.from(text, 'base64url').toString());
  const until = Number(time);
  const isOurs = sameSecret(mac, await macOf(deps, stores, [id ?? '', until, email ?? '']));
  const person = isOurs ? await stores.people.find(id ?? '') : null;
  if (!person || email === undefined || !isLinkValid(until, LIFETIME_MS, deps.clock()))
    throw invalidLink(NOT_VALID);
  requireOwnLink(person, caller);
  return { person, email };
}

/**
 * Changes the address of the caller's account with a link. It is a recovery: the new address is proved, every access from before ends,
 * and the previous address gets a mail.
 * @returns the secret for the session cookie, and the new address
 * @throws ApiError not_found, forbidden, already_exists
 */
export const changeAddress = (
  deps: PeopleParts,
  caller: PersonCaller,
  key: string,
  visit: Visit,
): Promise<{ secret: string; email: string }> =>
  deps.unitOfWork(async (stores) => {
    const { person, email } = await readAddressLink(deps, stores, caller, key);
    if (await stores.people.findByEmail(email)) throw taken();
    const at = deps.clock().toISOString();
    await stores.people.change(person.id, { email });
    await stores.people.recover(person.id, at);
    const ended = await endAccess(stores, person, at, (id) => deps.hooks.endAccess(stores, id));
    await stores.audit.add(caller, at, { action: 'email.change', detail: ended });
    await deps.hooks.accountRecovered(stores, person.id);
    await mailUser(deps, stores, person, { kind: 'address-changed', detail: { personId: person.id } });
    return { secret: await beginSession(deps, stores, person, visit, 'new address'), email };
  });
