import type { DeviceStore } from '../domain/identity/device-store.ts';
import type { SessionStore } from '../domain/identity/session-store.ts';
import type { TokenStore } from '../domain/identity/token-store.ts';
import type { InstallStore } from '../installs/install-store.ts';
import type { RateLimitStore } from '../platform/rate-limit-store.ts';
import type { Clock } from '../platform/system.ts';
import type { FlagStore } from '../ratings/flag-store.ts';
import type { RatingStore } from '../ratings/rating-store.ts';
import type { RelayStore } from '../relay/relay-store.ts';

const DAY_MS = 24 * 3_600_000;
/** Nothing is counted for longer, in milliseconds. */
const MARKS_MS = DAY_MS;
/**
 * An expired token, session or invitation is worth nothing. It is kept for so long, in milliseconds, to be told which it was; and
 * because a clock that is ahead takes others for expired, which must be there when it is right again.
 */
const KEPT_MS = 60 * DAY_MS;
/** Downloads of a day may wait for so long to be counted, and must not be counted twice then, in milliseconds. */
const FETCHES_MS = 2 * DAY_MS;
/** A review that was hidden and taken back may come back hidden for so long, in milliseconds. */
const REMOVED_MS = 365 * DAY_MS;
/** Who was told that a review may stand may not flag it again for so long, in milliseconds. */
const FLAGS_MS = 90 * DAY_MS;

export type ForgetDeps = {
  sessions: Pick<SessionStore, 'purgeExpired'>;
  devices: Pick<DeviceStore, 'purgeExpired'>;
  tokens: Pick<TokenStore, 'purgeExpired'>;
  rateLimits: Pick<RateLimitStore, 'purgeBefore'>;
  /** Invitations that nobody accepted in time. */
  invitations: { purgeExpired(at: string): Promise<void> };
  /** Answers for clients that never came. */
  relay: Pick<RelayStore, 'purgeExpired'>;
  /** Sign-ins under way. */
  ceremonies: { purgeExpired(at: string): Promise<void> };
  installs: Pick<InstallStore, 'purgeBefore'>;
  ratings: Pick<RatingStore, 'purgeRemoved'>;
  flags: Pick<FlagStore, 'purgeDecided'>;
  clock: Clock;
};

/** Removes what has run out, so that the database holds no more than is in use. */
export async function purgeExpired({
  sessions,
  devices,
  tokens,
  rateLimits,
  invitations,
  relay,
  ceremonies,
  installs,
  ratings,
  flags,
  clock,
}: ForgetDeps): Promise<void> {
  const now = clock();
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  await sessions.purgeExpired(ago(KEPT_MS));
  await devices.purgeExpired(now.toISOString());
  await ceremonies.purgeExpired(now.toISOString());
  await invitations.purgeExpired(ago(KEPT_MS));
  await relay.purgeExpired(now.toISOString());
  await tokens.purgeExpired(ago(KEPT_MS));
  await rateLimits.purgeBefore(ago(MARKS_MS));
  await installs.purgeBefore(ago(FETCHES_MS).slice(0, 10));
  await ratings.purgeRemoved(ago(REMOVED_MS));
  await flags.purgeDecided(ago(FLAGS_MS));
}
