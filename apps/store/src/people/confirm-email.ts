import type { Visit } from '../domain/identity/begin-session.ts';
import { type PersonCaller, personName } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import type { PostDeps } from '../domain/mail/post-mail.ts';
import { postMail } from '../domain/mail/post-mail.ts';
import { ApiError } from '../platform/api-error.ts';
import { type Mac, sameSecret } from '../platform/secret.ts';
import { linkHolds } from '../platform/terms.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import { takeMail } from './tries.ts';

const LIFETIME_MS = 24 * 3_600_000;

export type ConfirmDeps = {
  /** Made for this purpose alone. */
  confirmMac: Mac;
  baseUrl: string;
};

const gone = () =>
  new ApiError(
    'not_found',
    'This link is over a day old, or was not copied whole, or the email address is another by now: ask for a new one.',
  );

/**
 * A link by which the reader of an address's mail shows that it is theirs, within a day. Nothing is kept of it.
 * @returns null when there is nothing to show
 */
export function confirmLinkFor(
  { confirmMac, baseUrl, clock }: ConfirmDeps & Pick<PeopleDeps, 'clock'>,
  { id, email, emailVerified, suspended }: Person,
): string | null {
  if (email === null || emailVerified || suspended) return null;
  const until = clock().getTime() + LIFETIME_MS;
  const seal = confirmMac(JSON.stringify([id, until, email]));
  return `${baseUrl}/confirm?key=${Buffer.from(id).toString('base64url')}.${until}.${seal}`;
}

/**
 * Whom a link is for.
 * @throws ApiError not_found when it is none of ours, or not any more
 */
export async function readConfirmLink(
  { confirmMac, clock }: Pick<ConfirmDeps, 'confirmMac'> & Pick<PeopleDeps, 'clock'>,
  { people }: Pick<PeopleStores, 'people'>,
  key: string,
): Promise<Person & { email: string }> {
  const [encoded = '', time = '', seal = ''] = key.split('.');
  const person = await people.find(Buffer.from(encoded, 'base64url').toString());
  const until = Number(time);
  const email = person?.email ?? null;
  const isOurs = sameSecret(seal, confirmMac(JSON.stringify([person?.id, until, email])));
  if (!person || email === null || !isOurs || !linkHolds(until, LIFETIME_MS, clock()) || person.suspended)
    throw gone();
  return { ...person, email };
}

/**
 * Takes an address for its owner's from now on.
 * @throws ApiError not_found
 */
export const confirmEmail = (
  deps: ConfirmDeps & Pick<PeopleDeps, 'unitOfWork' | 'clock'>,
  key: string,
  { from }: Visit,
): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    const { id, email } = await readConfirmLink(deps, stores, key);
    await stores.people.change(id, { emailVerified: true });
    const at = deps.clock().toISOString();
    await stores.audit.add({ name: personName(id), from }, at, { action: 'email.confirm' });
    return email;
  });

/**
 * Sends such a link to the address of the person who is signed in.
 * @returns the address
 * @throws ApiError already_handled when there is nothing to confirm, rate_limited
 */
export const sendConfirmation = (
  deps: PostDeps & Pick<PeopleDeps, 'unitOfWork'>,
  { person, from }: PersonCaller,
): Promise<string> =>
  deps.unitOfWork(async (stores) => {
    if (person.email === null || person.emailVerified) {
      throw new ApiError('already_handled', 'There is no email address here that is not confirmed yet.');
    }
    await takeMail({ ...deps, rateLimits: stores.rateLimits }, person.email, from.address);
    await postMail(deps, stores, person.email, { kind: 'confirm-email', detail: { personId: person.id } });
    return person.email;
  });
