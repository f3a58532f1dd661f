import type { System } from './system.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Delay before a retry after a failure, in milliseconds: a computer that wakes up may have no network yet. Each further failure doubles it,
 * up to the most; a store may ask for more, up to an hour.
 */
const RETRY_MS = 5 * MINUTE_MS;
const MAX_RETRY_MS = 30 * MINUTE_MS;

/** How much a pause differs at most from its length, so that the clients of a store do not stay in step. */
const JITTER = 0.2;

/** Most seconds of a `Retry-After` that count. */
const MAX_RETRY_AFTER = 24 * 60 * 60;

/** The seconds of a `Retry-After` (RFC 9110 section 10.2.3); null without a usable one. */
export function retryAfterIn(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return seconds >= 0 && seconds <= MAX_RETRY_AFTER ? seconds : null;
}

/** A number from 0 to 1 that differs from client to client. */
export function chanceOf({ randomBytes }: Pick<System, 'randomBytes'>): number {
  const [high = 0, low = 0] = randomBytes(2);
  return (high * 256 + low) / 65_535;
}

/**
 * The pause before the next check of a store, in milliseconds.
 * @param everyMs the pause after a check that succeeded
 * @param failures checks that failed, one after the other
 * @param retryAfter seconds that the store asked to wait (RFC 9110 section 10.2.3)
 * @param chance from 0 to 1
 */
export function pauseBefore({
  everyMs,
  failures,
  retryAfter,
  chance,
}: {
  everyMs: number;
  failures: number;
  retryAfter: number;
  chance: number;
}): number {
  const usual = failures === 0 ? everyMs : Math.min(RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
  const asked = Number.isFinite(retryAfter) ? Math.min(retryAfter * 1_000, HOUR_MS) : 0;
  // What the store asks for is a least, and clients that it asks at once come back at different times.
  return asked > usual
    ? Math.round(asked * (1 + JITTER * chance))
    : Math.round(usual * (1 - JITTER + 2 * JITTER * chance));
}
