import type { Parts, Stores } from '../domain/parts/parts.ts';
import type { InstallStore } from '../installs/install-store.ts';
import type { RelayStore } from '../relay/relay-store.ts';

const DAY_MS = 24 * 3_600_000;
/** The longest window of a rate limit, in milliseconds. */
const RATE_LIMITS_MS = DAY_MS;
/**
 * How long expired tokens and invitations are kept, in milliseconds. They are useless, but the store can then say that
 * they have expired; and a clock that is ahead does not delete what is still valid.
 */
const EXPIRED_MS = 60 * DAY_MS;
/** How long the records of downloads are kept, in milliseconds: queued downloads may be counted late, but not twice. */
const FETCHES_MS = 2 * DAY_MS;

export type PurgeDeps = Stores &
  Pick<Parts, 'clock' | 'retentionDays' | 'hooks'> & {
    /** Authorization responses that no client collected. */
    relay: Pick<RelayStore, 'purgeExpired'>;
    installs: Pick<InstallStore, 'purgeBefore'>;
  };

/** Deletes expired rows. */
export async function purgeExpired({
  sessions,
  devices,
  tokens,
  rateLimits,
  invitations,
  relay,
  ceremonies,
  installs,
  audit,
  hooks,
  retentionDays,
  clock,
}: PurgeDeps): Promise<void> {
  const now = clock();
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  await sessions.purgeExpired(ago(retentionDays.sessions * DAY_MS));
  await devices.purgeExpired(now.toISOString());
  await ceremonies.purgeExpired(now.toISOString());
  await invitations.purgeExpired(ago(EXPIRED_MS));
  await relay.purgeExpired(now.toISOString());
  await tokens.purgeExpired(ago(EXPIRED_MS));
  await rateLimits.purgeBefore(ago(RATE_LIMITS_MS));
  await installs.purgeBefore(ago(FETCHES_MS).slice(0, 10));
  await hooks.purgeExpired(now);
  if (retentionDays.addresses !== null) await audit.eraseAddresses(ago(retentionDays.addresses * DAY_MS));
}
