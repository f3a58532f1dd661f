import type { RelayCallback } from '@svc/contracts';
import type { z } from 'zod';
import { networkOf } from '../platform/network-of.ts';
import { RateLimitError } from '../platform/rate.ts';
import type { Clock, RandomBytes, UnitOfWork } from '../platform/system.ts';
import { endOf } from '../platform/terms.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import type { RelayStore } from './relay-store.ts';
import { hashState, sealEntry } from './seal-entry.ts';

export type ParkDeps = {
  unitOfWork: UnitOfWork<{ relay: RelayStore }>;
  relay: RelayStore;
  clock: Clock;
  random: RandomBytes;
};

/** Most entries at a time. With the longest code they take about 300 MB of disk, and no memory. */
export const MAX_ENTRIES = 50_000;

/**
 * How many of them one network may have, by how full the relay is: a flood from anywhere leaves room for everybody else.
 * An office behind one address signs in less often than the first number says.
 */
const SHARES: readonly { from: number; most: number }[] = [
  { from: 0.9, most: 3 },
  { from: 0.5, most: 20 },
  { from: 0, most: 200 },
];

const SOON_SECONDS = 30;

/** Bits of an IPv6 address that a customer is given at most (RFC 6177): a site has 65,536 networks to flood from. */
const SITE_BITS = 48;

async function requireRoom(relay: RelayStore, network: string, now: string): Promise<void> {
  const { all, here } = await relay.countIn(network, now);
  const share = SHARES.find(({ from }) => all >= from * MAX_ENTRIES)?.most ?? 0;
  if (here >= share) {
    const again = 'Too many sign-ins came from your network in the last five minutes: try again in a minute.';
    const quota = { name: 'answers', limit: share, windowSeconds: 300, remaining: 0, resetSeconds: 60 };
    throw new RateLimitError(quota, again);
  }
  if (all >= MAX_ENTRIES) throw new UnavailableError('The relay is full.', { retryAfter: SOON_SECONDS });
}

/**
 * Keeps what an OAuth server sent a browser back with, until the client that began asks for it. The first answer to a
 * state counts; what comes later changes nothing, and nobody is told which it was.
 * @param address where the browser is
 * @throws ApiError rate_limited; UnavailableError when there is no room
 */
export async function parkCode(
  deps: ParkDeps,
  { state, ...answer }: z.infer<typeof RelayCallback>,
  address: string | null,
): Promise<void> {
  const now = deps.clock();
  const network = networkOf(address, SITE_BITS);
  // Asked outside a transaction first: a flood must not hold up those who write.
  await requireRoom(deps.relay, network, now.toISOString());
  const entry = {
    stateHash: hashState(state),
    sealed: sealEntry(state, JSON.stringify(answer), deps.random),
    network,
    expiresAt: endOf('relay_entries.expires_at', now),
  };
  await deps.unitOfWork(async ({ relay }) => {
    await relay.purgeExpired(now.toISOString());
    await requireRoom(relay, network, now.toISOString());
    await relay.park(entry);
  });
}
