import { LIMITS } from '@svc/contracts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far the clocks of two processes may differ, in milliseconds. */
export const SKEW_MS = MINUTE_MS;

/**
 * The lifetime of each kind of row with an end, in milliseconds. An end further away than that was written by a clock that was ahead,
 * and the row is not active.
 */
export const TERMS = {
  'versions.lease_until': 10 * SECOND_MS,
  'versions.locked_until': LIMITS.moderation.lockMs,
  /** The maximum wait of a mail: for the next digest. */
  'mails.next_try_at': 24 * HOUR_MS,
  /** The maximum pause between two tries. */
  'webhook_deliveries.next_try_at': 8 * HOUR_MS,
  /** As of its deliveries. */
  'webhooks.next_at': 8 * HOUR_MS,
  /** The maximum pause between two checks of a server. */
  'server_checks.next_at': 7 * DAY_MS,
  /** The maximum pause between two questions to a provider about a user, with its jitter. */
  'provider_checks.next_at': 2 * DAY_MS,
  'audit_delivery.turn_until': 2 * MINUTE_MS,
  /** The longest reading of an upstream without a renewal of its turn. */
  'upstreams.turn_until': 10 * MINUTE_MS,
  /** How long a process that follows an upstream may be silent until another one does. */
  'upstreams.leader_until': 40 * SECOND_MS,
  'device_codes.expires_at': LIMITS.device.expirySeconds * SECOND_MS,
  'relay_entries.expires_at': LIMITS.relay.lifetimeMs,
  'relay_clients.expires_at': LIMITS.relay.signInMs,
  'ceremonies.expires_at': 5 * MINUTE_MS,
  'invitations.expires_at': 7 * DAY_MS,
  /** Counted from the last use. */
  'sessions.expires_at': 14 * DAY_MS,
  /** The pause between two checks of a website, counted from the last one. */
  'publishers.checked_at': 7 * DAY_MS,
} as const;

export type Term = keyof typeof TERMS;

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** When a term that begins now ends. */
export const endOf = (term: Term, now: Date): string => later(now.toISOString(), TERMS[term]);

/** The latest time that another process may have written by now. A later one was written by a clock that was ahead. */
export const latestWritten = (now: string): string => later(now, SKEW_MS);

/** The latest end that a row of this kind can have by now. */
export const latestEnd = (term: Term, now: string): string => later(now, TERMS[term] + SKEW_MS);

/** Work that was last done at this time or before is due again. */
export const dueBefore = (term: Term, now: string): string => later(now, -TERMS[term]);

/** Whether a term is active: its end is in the future, and not further away than it can be. */
export const isActive = (term: Term, end: string, now: string): boolean =>
  end > now && end <= latestEnd(term, now);

/** Whether a link that contains its end, in milliseconds since 1970, is still valid. */
export const isLinkValid = (until: number, lifetimeMs: number, now: Date): boolean =>
  until > now.getTime() && until <= now.getTime() + lifetimeMs + SKEW_MS;
