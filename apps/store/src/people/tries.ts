import { LIMITS } from '@svc/contracts';
import { networkOf } from '../platform/network-of.ts';
import { consume, type Quota, type Rate } from '../platform/rate.ts';
import { hashSecret } from '../platform/secret.ts';
import type { PeopleDeps } from './people-stores.ts';

const { tries } = LIMITS.people;
const TRIES: Rate = { what: 'tries', ...tries };

/** Beginnings of sign-ins from one network; a whole office may share one. */
const CEREMONIES: Rate = { what: 'sign-ins begun', limit: 60, windowMs: tries.windowMs };

type TryDeps = Pick<PeopleDeps, 'unitOfWork' | 'clock'>;

/**
 * Counts a try of a password against the account and the network it comes from, whatever comes of it.
 * @param account the email address that was typed; no account needs to have it
 * @returns the smaller of what is left
 * @throws ApiError rate_limited
 */
export const recordLoginAttempt = (
  { unitOfWork, clock }: TryDeps,
  account: string,
  address: string | null,
): Promise<Quota> =>
  unitOfWork(async ({ rateLimits }) => {
    const network = await consume({ rateLimits, clock }, TRIES, `password-from ${networkOf(address)}`);
    // Hashed for its length: what is typed here may be anything.
    const email = await consume({ rateLimits, clock }, TRIES, `password-of ${hashSecret(account)}`);
    return network.remaining < email.remaining ? network : email;
  });

/**
 * Counts the making of an account against the network it comes from.
 * @throws ApiError rate_limited
 */
export const takeSignUp = ({ unitOfWork, clock }: TryDeps, address: string | null): Promise<Quota> =>
  unitOfWork(({ rateLimits }) => consume({ rateLimits, clock }, TRIES, `sign-up-from ${networkOf(address)}`));

/**
 * Counts the beginning of a ceremony, each of which is a row, against the network it comes from. Run it in a transaction.
 * @throws ApiError rate_limited
 */
export const takeCeremony = (
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  address: string | null,
): Promise<Quota> => consume(deps, CEREMONIES, `ceremony-from ${networkOf(address)}`);

/** Mails that a person who is not signed in can have sent to one address, or from one network. */
const MAILS: Rate = { what: 'mails', limit: 5, windowMs: 60 * 60_000 };

/**
 * Counts a mail that a person has sent to an address. Run it in a transaction.
 * @throws ApiError rate_limited
 */
export async function takeMail(
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  email: string,
  address: string | null,
): Promise<void> {
  await consume(deps, MAILS, `mail-from ${networkOf(address)}`);
  await consume(deps, MAILS, `mail-to ${hashSecret(email)}`);
}
