import { LIMITS } from '@svc/contracts';
import { networkOf } from '../../platform/network-of.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import { assertWithinLimit, count, currentQuota, type Quota, type Rate } from '../../platform/rate.ts';
import { hashSecret, newSecret, sameSecret } from '../../platform/secret.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { PeopleParts } from './people-parts.ts';

const { tries } = LIMITS.people;

const HOUR_MS = 60 * 60_000;

/** What is limited: in one place, which is a known browser or a network, and in all known or all unknown browsers together. */
export type Tries = { name: string; here: Rate; anywhere: Rate };

/** Wrong passwords. Right ones do not count. */
export const PASSWORDS: Tries = {
  name: 'password',
  here: { what: 'tries', ...tries },
  anywhere: { what: 'tries', limit: 100, windowMs: tries.windowMs },
};

/** Sign-ups that fail: each reveals whether an account has the address. */
export const SIGN_UPS: Tries = { ...PASSWORDS, name: 'sign-up' };

const MAILS = {
  here: { what: 'mails', limit: 5, windowMs: HOUR_MS },
  anywhere: { what: 'mails', limit: 20, windowMs: HOUR_MS },
};

/** Links to recover an account. Requests of other mails do not use them up. */
export const RESET_MAILS: Tries = { ...MAILS, name: 'reset-mail' };

/** Links that confirm an address, of an account or a new one. */
export const CONFIRM_MAILS: Tries = { ...MAILS, name: 'confirm-mail' };

/** Who tries, and where. */
export type Attempt = {
  /** The typed email address; an account need not exist. */
  account: string;
  address: string | null;
  /** The id of the browser, which the account has used before; null in an unknown browser. */
  browser: string | null;
};

/**
 * The subjects of the limits. A limit is never that of a network alone, nor that of an account alone: an attacker behind the same proxy,
 * or one who tries an account from everywhere, does not lock out its owner's own browsers (OWASP, "Slow Down Online Guessing Attacks
 * with Device Cookies").
 */
function limitsOf({ name, here, anywhere }: Tries, { account, address, browser }: Attempt): [Rate, string][] {
  // Hashed to bound the length: any text can be typed.
  const of = hashSecret(account);
  return browser === null
    ? [
        [here, `${name}-from ${of} ${networkOf(address)}`],
        [anywhere, `${name}-of ${of}`],
      ]
    : [
        [here, `${name}-in ${of} ${browser}`],
        [anywhere, `${name}-known ${of}`],
      ];
}

/** An attempt in progress. */
export type CountedAttempt = {
  /** What remains of the limit when it fails. */
  quota: Quota;
  /** Takes the attempt back, and those that failed before it here. Call it when it was right. */
  succeed(stores: { rateLimits: RateLimitStore }): Promise<void>;
};

/**
 * Counts an attempt before it is made, so that concurrent ones cannot exceed the limit; one that succeeds is taken back.
 * @throws ApiError rate_limited
 */
export const countAttempt = (
  { unitOfWork, clock }: Pick<PeopleParts, 'unitOfWork' | 'clock'>,
  what: Tries,
  attempt: Attempt,
): Promise<CountedAttempt> =>
  unitOfWork(async ({ rateLimits }) => ({
    quota: await countIn({ rateLimits, clock }, what, attempt),
    succeed: async (stores) => {
      for (const [, counted] of limitsOf(what, attempt)) await stores.rateLimits.clear(counted);
    },
  }));

/**
 * Counts a try of the password of a signed-in caller, whose session is a known browser.
 * @returns the attempt, and for whom the password is hashed
 * @throws ApiError rate_limited
 */
export async function countOwnAttempt(
  deps: Pick<PeopleParts, 'unitOfWork' | 'clock'>,
  { person: { id, email }, from: { address }, sessionId }: PersonCaller,
) {
  const attempt = await countAttempt(deps, PASSWORDS, { account: email ?? id, address, browser: sessionId });
  return { attempt, requester: { account: id, network: networkOf(address), turn: 'first' as const } };
}

/**
 * Counts an attempt, or a mail that is sent. Call it in a transaction.
 * @returns what remains of the limit here
 * @throws ApiError rate_limited
 */
export async function countIn(
  deps: Pick<PeopleParts, 'rateLimits' | 'clock'>,
  what: Tries,
  attempt: Attempt,
): Promise<Quota> {
  const limits = limitsOf(what, attempt);
  for (const [rate, subject] of limits) await assertWithinLimit(deps, rate, subject);
  for (const [rate, subject] of limits) await count(deps, rate, subject);
  const [[rate, subject] = [what.here, '']] = limits;
  return currentQuota(deps, rate, subject);
}

/** How long a browser is known after the last sign-in, in seconds. */
export const KNOWN_SECONDS = 365 * 24 * 3_600;

/** What a browser is known for: an address, and the last recovery of its account, which ends what was known before it. */
async function knownFor({ people }: PeopleParts, account: string): Promise<string> {
  const person = await people.findByEmail(account);
  return JSON.stringify([account, person && (await people.recoveredAt(person.id))]);
}

/** Creates the value of the cookie by which a browser is known for an account. It does not sign in. */
export async function knownBrowser(deps: PeopleParts, account: string): Promise<string> {
  const id = newSecret(deps.random);
  return `${id}.${deps.browserMac(id + (await knownFor(deps, account)))}`;
}

/**
 * The id of a browser that is known for an account; null for any other browser.
 * @param cookie the cookie of known browsers, if any
 */
export async function readKnownBrowser(
  deps: PeopleParts,
  cookie: string | undefined,
  account: string,
): Promise<string | null> {
  const [id = '', mac = ''] = (cookie ?? '').split('.');
  return sameSecret(mac, deps.browserMac(id + (await knownFor(deps, account)))) ? id : null;
}
