import { ApiError } from './api-error.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import type { Clock } from './system.ts';

/** How often something may be done within how many milliseconds; `what` names it, in the plural; `name` in header fields, where that is another. */
export type Rate = { what: string; name?: string; limit: number; windowMs: number };

/** How much is left of what; `resetSeconds` is when the oldest use stops counting. */
export type Quota = {
  name: string;
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

/** What is left of a rate after the given uses. */
export function quotaOf(
  { what, name = what, limit, windowMs }: Rate,
  rateLimits: readonly string[],
  now: Date,
): Quota {
  const oldest = rateLimits[0] === undefined ? now.getTime() : Date.parse(rateLimits[0]);
  return {
    name,
    limit,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, limit - rateLimits.length),
    resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - now.getTime()) / 1000)),
  };
}

/** The refusal of what has used up its rate; its answer says so in the RateLimit fields too. */
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
 * Refuses when a subject has used up its rate, without counting this.
 * @returns the uses that count
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

/** Counts something against a rate, without refusing it. */
export async function count({ rateLimits, clock }: RateDeps, rate: Rate, subject: string): Promise<void> {
  const now = clock();
  await rateLimits.add(subject, now.toISOString(), startOf(rate, now));
}

/**
 * Counts something against a rate, or refuses it. Run it in a transaction, or two at once both take what is left.
 * @param subject who or what is counted: one word for what is done, a space, and by whom
 * @returns what is left
 * @throws ApiError rate_limited, with the seconds to wait
 */
export async function consume(deps: RateDeps, rate: Rate, subject: string): Promise<Quota> {
  const used = await assertWithinLimit(deps, rate, subject);
  await count(deps, rate, subject);
  const now = deps.clock();
  return quotaOf(rate, [...used, now.toISOString()], now);
}

/** What a subject has left of a rate. */
export async function quotaLeft(
  { rateLimits, clock }: RateDeps,
  rate: Rate,
  subject: string,
): Promise<Quota> {
  const now = clock();
  return quotaOf(rate, await rateLimits.within(subject, rate.windowMs, now), now);
}

/** How much of a rate a subject has left. */
export const remaining = async (deps: RateDeps, rate: Rate, subject: string): Promise<number> =>
  (await quotaLeft(deps, rate, subject)).remaining;
