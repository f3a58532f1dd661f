import { LIMITS } from '@svc/contracts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far the clocks of two processes may differ, in milliseconds. */
export const SKEW_MS = MINUTE_MS;

/**
 * How long each thing holds that a row has an end of, in milliseconds: never longer, so an end that lies beyond that was written
 * by a clock that was ahead, and holds nothing.
 */
export const TERMS = {
  'versions.lease_until': 10 * SECOND_MS,
  'versions.locked_until': LIMITS.moderation.lockMs,
  /** The longest pause between two tries. */
  'mails.next_try_at': 6 * HOUR_MS,
  'device_codes.expires_at': LIMITS.device.expirySeconds * SECOND_MS,
  'relay_entries.expires_at': LIMITS.relay.lifetimeMs,
  'ceremonies.expires_at': 5 * MINUTE_MS,
  'invitations.expires_at': 7 * DAY_MS,
  /** Since its last use. */
  'sessions.expires_at': 14 * DAY_MS,
  /** The pause between two looks at a website, counted from the last one. */
  'publishers.checked_at': 7 * DAY_MS,
} as const;

export type Term = keyof typeof TERMS;

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** When something that begins now ends. */
export const endOf = (term: Term, now: Date): string => later(now.toISOString(), TERMS[term]);

/** The last time that another process may have written by now. What is later was written by a clock that was ahead. */
export const latestWritten = (now: string): string => later(now, SKEW_MS);

/** The latest end that anything of this kind can have by now. */
export const latestEnd = (term: Term, now: string): string => later(now, TERMS[term] + SKEW_MS);

/** What was last done at this time or before is due again. */
export const dueBefore = (term: Term, now: string): string => later(now, -TERMS[term]);

/** Whether something holds: its end is still to come, and is not further away than it can be. */
export const holds = (term: Term, end: string, now: string): boolean =>
  end > now && end <= latestEnd(term, now);

/** The same for a link that carries its end, in milliseconds since 1970, and has no row. */
export const linkHolds = (until: number, lifetimeMs: number, now: Date): boolean =>
  until > now.getTime() && until <= now.getTime() + lifetimeMs + SKEW_MS;
