import type { RelayCallback } from '@svc/contracts';
import type { z } from 'zod';
import { networkOf } from '../../platform/network-of.ts';
import { RateLimitError } from '../../platform/rate.ts';
import type { Clock, RandomBytes, UnitOfWork } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { RelayStore } from './relay-store.ts';
import { hashState, sealEntry } from './seal-entry.ts';

export type ParkDeps = {
  unitOfWork: UnitOfWork<{ relay: RelayStore }>;
  relay: RelayStore;
  clock: Clock;
  random: RandomBytes;
};

/** The most entries. With the longest code they take about 300 MB of disk, and no memory. */
export const MAX_ENTRIES = 50_000;

/**
 * The most entries of one network, by how full the relay is: a flood from one network leaves capacity for others. An office behind
 * one address signs in less often than the last number allows.
 */
const SHARES: readonly { from: number; max: number }[] = [
  { from: 0.9, max: 3 },
  { from: 0.5, max: 20 },
  { from: 0, max: 200 },
];

const RETRY_SECONDS = 30;

/** Prefix length of an IPv6 site (RFC 6177): a customer with a /48 has 65,536 networks to flood from. */
const SITE_BITS = 48;

async function requireCapacity(relay: RelayStore, network: string, now: string): Promise<void> {
  const { all, here } = await relay.countIn(network, now);
  const share = SHARES.find(({ from }) => all >= from * MAX_ENTRIES)?.max ?? 0;
  if (here >= share) {
    const message =
      'Too many sign-ins came from your network in the last five minutes: try again in a minute.';
    const quota = { name: 'answers', limit: share, windowSeconds: 300, remaining: 0, resetSeconds: 60 };
    throw new RateLimitError(quota, message);
  }
  if (all >= MAX_ENTRIES) throw new UnavailableError('The relay is full.', { retryAfter: RETRY_SECONDS });
}

/**
 * Stores the authorization response with which an OAuth server redirected a browser, until the client collects it. The first response to
 * a state counts; later ones are ignored, and the browser cannot see which it was.
 * @param address the IP address of the browser
 * @throws ApiError rate_limited; UnavailableError when the relay is full
 */
export async function parkCode(
  deps: ParkDeps,
  { state, ...answer }: z.infer<typeof RelayCallback>,
  address: string | null,
): Promise<void> {
  const now = deps.clock();
  const network = networkOf(address, SITE_BITS);
  // Checked outside a transaction first: a flood must not block writers.
  await requireCapacity(deps.relay, network, now.toISOString());
  const entry = {
    stateHash: hashState(state),
    sealed: sealEntry(state, JSON.stringify(answer), deps.random),
    network,
    expiresAt: endOf('relay_entries.expires_at', now),
  };
  await deps.unitOfWork(async ({ relay }) => {
    await relay.purgeExpired(now.toISOString());
    await requireCapacity(relay, network, now.toISOString());
    await relay.park(entry);
  });
}
