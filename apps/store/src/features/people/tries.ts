import { LIMITS } from '@svc/contracts';
import { networkOf } from '../../platform/network-of.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import { hashSecret } from '../../platform/secret.ts';
import type { PeopleDeps } from './people-stores.ts';

const { tries } = LIMITS.people;
const TRIES: Rate = { what: 'tries', ...tries };

/** Sign-ins begun from one network, which a whole office may share. */
const CEREMONIES: Rate = { what: 'sign-ins begun', limit: 60, windowMs: tries.windowMs };

type CountDeps = Pick<PeopleDeps, 'unitOfWork' | 'clock'>;

/**
 * Counts a password attempt against the account and the network, whether it succeeds or not.
 * @param account the typed email address; an account need not exist
 * @returns the quota with fewer remaining attempts
 * @throws ApiError rate_limited
 */
export const recordLoginAttempt = (
  { unitOfWork, clock }: CountDeps,
  account: string,
  address: string | null,
): Promise<Quota> =>
  unitOfWork(async ({ rateLimits }) => {
    const network = await consume({ rateLimits, clock }, TRIES, `password-from ${networkOf(address)}`);
    // Hashed to bound its length: any text can be typed.
    const email = await consume({ rateLimits, clock }, TRIES, `password-of ${hashSecret(account)}`);
    return network.remaining < email.remaining ? network : email;
  });

/**
 * Counts a sign-up against its network.
 * @throws ApiError rate_limited
 */
export const countSignUp = ({ unitOfWork, clock }: CountDeps, address: string | null): Promise<Quota> =>
  unitOfWork(({ rateLimits }) => consume({ rateLimits, clock }, TRIES, `sign-up-from ${networkOf(address)}`));

/**
 * Counts a new ceremony, which is a row of the database, against its network. Call it in a transaction.
 * @throws ApiError rate_limited
 */
export const countCeremony = (
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  address: string | null,
): Promise<Quota> => consume(deps, CEREMONIES, `ceremony-from ${networkOf(address)}`);

/** Mails that unauthenticated visitors can request for one address, or from one network. */
const MAILS: Rate = { what: 'mails', limit: 5, windowMs: 60 * 60_000 };

/**
 * Counts a requested mail against its recipient and the network. Call it in a transaction.
 * @throws ApiError rate_limited
 */
export async function countMail(
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  email: string,
  address: string | null,
): Promise<void> {
  await consume(deps, MAILS, `mail-from ${networkOf(address)}`);
  await consume(deps, MAILS, `mail-to ${hashSecret(email)}`);
}
