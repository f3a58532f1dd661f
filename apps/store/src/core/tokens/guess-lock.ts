import { LIMITS } from '@svc/contracts';
import { RateLimitError } from '../../platform/rate.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { Parts } from '../domain/parts/parts.ts';

const { max, windowMs } = LIMITS.device.wrongCodes;

type LockDeps = Pick<Parts, 'rateLimits' | 'clock'>;

/** The subject of the limit: the person, in any session and at any address. Others at the address are not locked. */
const subjectOf = ({ person }: PersonCaller): string => `wrong-code person:${person.id}`;

const before = (now: Date, ms: number): string => new Date(now.getTime() - ms).toISOString();

/**
 * Until when a subject is locked; 0 when it is not. The last allowed wrong code within the window locks it for another window. No codes
 * are counted while it is locked.
 */
function lockedUntil(wrong: readonly string[]): number {
  const [first, last] = [wrong.at(-max), wrong.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return Date.parse(last) - Date.parse(first) < windowMs ? Date.parse(last) + windowMs : 0;
}

/**
 * Refuses a person who has typed too many wrong codes.
 * @throws ApiError rate_limited, with the time at which the lock ends
 */
export async function requireUnlocked({ rateLimits, clock }: LockDeps, caller: PersonCaller): Promise<void> {
  const now = clock();
  const until = lockedUntil(await rateLimits.within(subjectOf(caller), 2 * windowMs, now));
  if (until <= now.getTime()) return;
  const clockTime = new Date(until).toISOString().slice(11, 19);
  const resetSeconds = Math.ceil((until - now.getTime()) / 1000);
  throw new RateLimitError(
    { name: 'wrong codes', limit: max, windowSeconds: windowMs / 1000, remaining: 0, resetSeconds },
    `Too many wrong codes (${max}) were entered. You can try again at ${clockTime} UTC.`,
  );
}

/** Counts a wrong code. Call it in the transaction of the lookup, so that concurrent attempts cannot exceed the limit. */
export async function recordFailedCode({ rateLimits, clock }: LockDeps, caller: PersonCaller): Promise<void> {
  const now = clock();
  await rateLimits.add(subjectOf(caller), now.toISOString(), before(now, 2 * windowMs));
}
