import { LIMITS } from '@svc/contracts';
import { networkOf } from '../../platform/network-of.ts';
import { assertWithinLimit, consume, currentQuota, type Quota, type Rate } from '../../platform/rate.ts';
import type { RateLimitStore } from '../../platform/rate-limit-store.ts';
import { hashSecret, type Mac, newSecret, sameSecret } from '../../platform/secret.ts';
import type { RandomBytes } from '../../platform/system.ts';
import type { PeopleDeps } from './people-stores.ts';

const { tries } = LIMITS.people;

/** Wrong passwords of one account from one network, or in one known browser. Right ones do not count. */
const TRIES: Rate = { what: 'tries', ...tries };

/** Wrong passwords of one account in all unknown browsers together, from any number of networks. */
const UNKNOWN: Rate = { what: 'tries', limit: 100, windowMs: tries.windowMs };

/** New accounts from one network, which a whole company may share: each is a row, and a hash of a password. */
const SIGN_UPS: Rate = { what: 'sign-ups', limit: 1_000, windowMs: tries.windowMs };

/** Sign-ins begun from one network, which a whole company may share: each is a row for five minutes. */
const CEREMONIES: Rate = { what: 'sign-ins begun', limit: 10_000, windowMs: tries.windowMs };

const HOUR_MS = 60 * 60_000;

/** Mails that visitors request for one address: from one network, and from all together. */
const MAILS: Rate = { what: 'mails', limit: 5, windowMs: HOUR_MS };
const MAILS_TO: Rate = { what: 'mails', limit: 20, windowMs: HOUR_MS };

type CountDeps = Pick<PeopleDeps, 'unitOfWork' | 'clock'>;

/** Who tries a password, and where. */
export type Attempt = {
  /** The typed email address; an account need not exist. */
  account: string;
  address: string | null;
  /** The id of the browser, which the account has used before; null in an unknown browser. */
  browser: string | null;
};

/** Hashed to bound the length: any text can be typed. */
const nameOf = ({ account }: Attempt): string => hashSecret(account);

/**
 * The subjects of the limits. A limit is never that of a network alone, nor that of an account alone: an attacker behind the same proxy,
 * or one who guesses passwords of an account from everywhere, does not lock out its owner's own browsers (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies").
 */
function limitsOf(attempt: Attempt): [Rate, string][] {
  const account = nameOf(attempt);
  if (attempt.browser !== null) return [[TRIES, `password-in ${account} ${attempt.browser}`]];
  return [
    [TRIES, `password-from ${account} ${networkOf(attempt.address)}`],
    [UNKNOWN, `password-of ${account}`],
  ];
}

/** An attempt in progress. */
export type CountedAttempt = {
  /** What remains of the limit when it fails. */
  quota: Quota;
  /** Takes the attempt back, and those that failed before it here. Call it when the password was right. */
  succeed(stores: { rateLimits: RateLimitStore }): Promise<void>;
};

/**
 * Counts a password attempt before it is made, so that concurrent ones cannot exceed the limit; a right password takes it back.
 * @throws ApiError rate_limited
 */
export const countAttempt = ({ unitOfWork, clock }: CountDeps, attempt: Attempt): Promise<CountedAttempt> =>
  unitOfWork(async ({ rateLimits }) => {
    const deps = { rateLimits, clock };
    const limits = limitsOf(attempt);
    for (const [rate, subject] of limits) await assertWithinLimit(deps, rate, subject);
    for (const [rate, subject] of limits) await consume(deps, rate, subject);
    const [[rate, subject] = [TRIES, '']] = limits;
    return {
      quota: await currentQuota(deps, rate, subject),
      succeed: async (stores) => {
        for (const [, counted] of limits) await stores.rateLimits.clear(counted);
      },
    };
  });

/**
 * Counts a sign-up: against its network, and, as it reveals whether an account has the address, against both.
 * @throws ApiError rate_limited
 */
export const countSignUp = (
  { unitOfWork, clock }: CountDeps,
  email: string,
  address: string | null,
): Promise<Quota> =>
  unitOfWork(async ({ rateLimits }) => {
    const network = networkOf(address);
    await consume({ rateLimits, clock }, SIGN_UPS, `sign-up-from ${network}`);
    return consume({ rateLimits, clock }, TRIES, `sign-up ${hashSecret(email)} ${network}`);
  });

/**
 * Counts a new ceremony, which is a row of the database, against its network. Call it in a transaction.
 * @throws ApiError rate_limited
 */
export const countCeremony = (
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  address: string | null,
): Promise<Quota> => consume(deps, CEREMONIES, `ceremony-from ${networkOf(address)}`);

/**
 * Counts a requested mail against its recipient, alone and together with the network. Call it in a transaction.
 * @throws ApiError rate_limited
 */
export async function countMail(
  deps: Pick<PeopleDeps, 'rateLimits' | 'clock'>,
  email: string,
  address: string | null,
): Promise<void> {
  await consume(deps, MAILS, `mail ${hashSecret(email)} ${networkOf(address)}`);
  await consume(deps, MAILS_TO, `mail-to ${hashSecret(email)}`);
}

/** How long a browser is known after the last sign-in, in seconds. */
export const KNOWN_SECONDS = 365 * 24 * 3_600;

/** Creates the value of the cookie by which a browser is known for an account. It does not sign in. */
export function knownBrowser(
  { browserMac, random }: { browserMac: Mac; random: RandomBytes },
  account: string,
): string {
  const id = newSecret(random);
  return `${id}.${browserMac(JSON.stringify([id, account]))}`;
}

/** The id of a browser that is known for an account; null for any other browser. */
export function readKnownBrowser(
  { browserMac }: { browserMac: Mac },
  cookie: string | undefined,
  account: string,
): string | null {
  const [id = '', mac = ''] = (cookie ?? '').split('.');
  return sameSecret(mac, browserMac(JSON.stringify([id, account]))) ? id : null;
}
