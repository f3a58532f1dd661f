import { ApiError } from './api-error.ts';
import type { Clock } from './system.ts';

/** A rate limit: `limit` uses in `windowMs` milliseconds. `what` names the uses in messages, in the plural; `name` in header fields. */
export type Rate = { what: string; name?: string; limit: number; windowMs: number };

/** What remains of a rate limit. After `resetSeconds` the oldest use no longer counts. */
export type Quota = {
  name: string;
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

/** The uses that count against rate limits. */
export type RateLimitStore = {
  /** The times of uses of a subject in the last `ms` milliseconds, oldest first. Times in the future, of a clock that was ahead, do not count. */
  within(subject: string, ms: number, now: Date): Promise<string[]>;
  add(subject: string, at: string, purgeBefore: string): Promise<void>;
  clear(subject: string): Promise<void>;
  /** Deletes all uses before a time. */
  purgeBefore(time: string): Promise<void>;
};

/** Computes what remains of a rate limit after the given uses. */
export function quotaOf(
  { what, name = what, limit, windowMs }: Rate,
  uses: readonly string[],
  now: Date,
): Quota {
  const oldest = uses[0] === undefined ? now.getTime() : Date.parse(uses[0]);
  return {
    name,
    limit,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, limit - uses.length),
    resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - now.getTime()) / 1000)),
  };
}

/** A rate limit is exceeded. The response includes the RateLimit header fields. */
export class RateLimitError extends ApiError {
  readonly quota: Quota;

  constructor(quota: Quota, message: string, code: 'rate_limited' | 'slow_down' = 'rate_limited') {
    super(code, message, { retryAfter: quota.resetSeconds });
    this.quota = quota;
  }
}

type RateDeps = { rateLimits: RateLimitStore; clock: Clock };

const startOf = ({ windowMs }: Rate, now: Date): string => new Date(now.getTime() - windowMs).toISOString();

/**
 * Refuses when a subject has reached a rate limit, without counting a use.
 * @returns the times of the uses that count
 * @throws ApiError rate_limited, with the seconds to wait
 */
export async function assertWithinLimit(
  { rateLimits, clock }: RateDeps,
  rate: Rate,
  subject: string,
): Promise<string[]> {
  const now = clock();
  const used = await rateLimits.within(subject, rate.windowMs, now);
  const quota = quotaOf(rate, used, now);
  const { remaining, resetSeconds } = quota;
  if (remaining > 0) return used;
  throw new RateLimitError(
    quota,
    `More than ${rate.limit} ${rate.what} in ${rate.windowMs / 60_000} minutes: try again in ${resetSeconds} seconds.`,
  );
}

/** Counts a use against a rate limit, without refusing it. */
export async function count({ rateLimits, clock }: RateDeps, rate: Rate, subject: string): Promise<void> {
  const now = clock();
  await rateLimits.add(subject, now.toISOString(), startOf(rate, now));
}

/**
 * Counts a use against a rate limit, or refuses it. Run it in a transaction: otherwise two concurrent uses can both take the last one.
 * @param subject the key that is counted: one word for the action, a space, and the actor
 * @returns what remains of the rate limit
 * @throws ApiError rate_limited, with the seconds to wait
 */
export async function consume(deps: RateDeps, rate: Rate, subject: string): Promise<Quota> {
  const used = await assertWithinLimit(deps, rate, subject);
  await count(deps, rate, subject);
  const now = deps.clock();
  return quotaOf(rate, [...used, now.toISOString()], now);
}

/** Reads what remains of a rate limit for a subject. */
export async function currentQuota(
  { rateLimits, clock }: RateDeps,
  rate: Rate,
  subject: string,
): Promise<Quota> {
  const now = clock();
  return quotaOf(rate, await rateLimits.within(subject, rate.windowMs, now), now);
}

/** How many uses of a rate limit a subject has left. */
export const remaining = async (deps: RateDeps, rate: Rate, subject: string): Promise<number> =>
  (await currentQuota(deps, rate, subject)).remaining;
