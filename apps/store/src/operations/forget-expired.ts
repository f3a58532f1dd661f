import type { DeviceStore } from '../domain/identity/device-store.ts';
import type { SessionStore } from '../domain/identity/session-store.ts';
import type { TokenStore } from '../domain/identity/token-store.ts';
import type { InstallStore } from '../installs/install-store.ts';
import type { Clock } from '../platform/ambient.ts';
import type { Marks } from '../platform/marks.ts';
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
  sessions: Pick<SessionStore, 'forgetExpired'>;
  devices: Pick<DeviceStore, 'forgetExpired'>;
  tokens: Pick<TokenStore, 'forgetExpired'>;
  marks: Pick<Marks, 'forgetBefore'>;
  /** Invitations that nobody accepted in time. */
  invitations: { forgetExpired(at: string): Promise<void> };
  /** Answers for clients that never came. */
  relay: Pick<RelayStore, 'forgetExpired'>;
  /** Sign-ins under way. */
  ceremonies: { forgetExpired(at: string): Promise<void> };
  installs: Pick<InstallStore, 'forgetBefore'>;
  ratings: Pick<RatingStore, 'forgetRemoved'>;
  flags: Pick<FlagStore, 'forgetDecided'>;
  clock: Clock;
};

/** Removes what has run out, so that the database holds no more than is in use. */
export async function forgetExpired({
  sessions,
  devices,
  tokens,
  marks,
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
  await sessions.forgetExpired(ago(KEPT_MS));
  await devices.forgetExpired(now.toISOString());
  await ceremonies.forgetExpired(now.toISOString());
  await invitations.forgetExpired(ago(KEPT_MS));
  await relay.forgetExpired(now.toISOString());
  await tokens.forgetExpired(ago(KEPT_MS));
  await marks.forgetBefore(ago(MARKS_MS));
  await installs.forgetBefore(ago(FETCHES_MS).slice(0, 10));
  await ratings.forgetRemoved(ago(REMOVED_MS));
  await flags.forgetDecided(ago(FLAGS_MS));
}
