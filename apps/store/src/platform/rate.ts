import type { Clock } from './ambient.ts';
import type { Marks } from './marks.ts';
import { Refusal } from './refusal.ts';

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
  marks: readonly string[],
  now: Date,
): Quota {
  const oldest = marks[0] === undefined ? now.getTime() : Date.parse(marks[0]);
  return {
    name,
    limit,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, limit - marks.length),
    resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - now.getTime()) / 1000)),
  };
}

/** The refusal of what has used up its rate; its answer says so in the RateLimit fields too. */
export class RateLimited extends Refusal {
  readonly quota: Quota;

  constructor(quota: Quota, message: string, code: 'rate_limited' | 'slow_down' = 'rate_limited') {
    super(code, message, { retryAfter: quota.resetSeconds });
    this.quota = quota;
  }
}

type RateDeps = { marks: Marks; clock: Clock };

const startOf = ({ windowMs }: Rate, now: Date): string => new Date(now.getTime() - windowMs).toISOString();

/**
 * Refuses when a subject has used up its rate, without counting this.
 * @returns the uses that count
 * @throws Refusal rate_limited, with the seconds to wait
 */
export async function requireLeft(
  { marks, clock }: RateDeps,
  rate: Rate,
  subject: string,
): Promise<string[]> {
  const now = clock();
  const used = await marks.within(subject, rate.windowMs, now);
  const quota = quotaOf(rate, used, now);
  const { remaining, resetSeconds } = quota;
  if (remaining > 0) return used;
  throw new RateLimited(
    quota,
    `More than ${rate.limit} ${rate.what} in ${rate.windowMs / 60_000} minutes: try again in ${resetSeconds} seconds.`,
  );
}

/** Counts something against a rate, without refusing it. */
export async function count({ marks, clock }: RateDeps, rate: Rate, subject: string): Promise<void> {
  const now = clock();
  await marks.add(subject, now.toISOString(), startOf(rate, now));
}

/**
 * Counts something against a rate, or refuses it. Run it in a transaction, or two at once both take what is left.
 * @param subject who or what is counted: one word for what is done, a space, and by whom
 * @returns what is left
 * @throws Refusal rate_limited, with the seconds to wait
 */
export async function takeFrom(deps: RateDeps, rate: Rate, subject: string): Promise<Quota> {
  const used = await requireLeft(deps, rate, subject);
  await count(deps, rate, subject);
  const now = deps.clock();
  return quotaOf(rate, [...used, now.toISOString()], now);
}

/** What a subject has left of a rate. */
export async function quotaLeft({ marks, clock }: RateDeps, rate: Rate, subject: string): Promise<Quota> {
  const now = clock();
  return quotaOf(rate, await marks.within(subject, rate.windowMs, now), now);
}

/** How much of a rate a subject has left. */
export const roomIn = async (deps: RateDeps, rate: Rate, subject: string): Promise<number> =>
  (await quotaLeft(deps, rate, subject)).remaining;
