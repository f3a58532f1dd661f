import { type RelayCallback, type RelayQuery, RelayResult } from '@svc/contracts';
import type { z } from 'zod';
import { RateLimitError } from '../../platform/rate.ts';
import { hashSecret, openEntry, sealEntry } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { MAX_ENTRIES, peerOf, shareAt, siteOf } from './capacity.ts';
import type { RelayStore } from './relay-store.ts';

type Parking = Pick<RelayStore, 'park' | 'countIn' | 'purgeExpired'>;

export type ParkDeps = Pick<Parts, 'clock' | 'random'> & {
  unitOfWork: UnitOfWork<{ relay: Parking }>;
  relay: Parking;
};

const RETRY_SECONDS = 30;

async function requireCapacity(relay: Parking, network: string, now: string): Promise<void> {
  const { all, here } = await relay.countIn(network, now);
  const share = shareAt(all);
  if (here >= share) {
    const message =
      'Too many sign-ins came from your network in the last five minutes: try again in a minute.';
    const quota = { name: 'answers', limit: share, windowSeconds: 300, remaining: 0, resetSeconds: 60 };
    throw new RateLimitError(quota, message);
  }
  if (all >= MAX_ENTRIES) throw new UnavailableError('The relay is full.', { retryAfter: RETRY_SECONDS });
}

/** Where a response comes from. */
export type Browser = {
  /** The IP address of the browser. */
  address: string | null;
  /** A secret of its page, with which the user confirms a client. */
  ticket: string;
};

/**
 * Stores the authorization response with which an OAuth server redirected a browser, until the client collects it. The first response to
 * a state counts; later ones are ignored, and the browser cannot see which it was.
 * @throws ApiError rate_limited; UnavailableError when the relay is full
 */
export async function parkCode(
  deps: ParkDeps,
  { state, ...answer }: z.infer<typeof RelayCallback>,
  { address, ticket }: Browser,
): Promise<void> {
  const now = deps.clock();
  const network = siteOf(address);
  // Checked outside a transaction first: a flood must not block writers.
  await requireCapacity(deps.relay, network, now.toISOString());
  const entry = {
    stateHash: hashSecret(state),
    sealed: sealEntry(state, JSON.stringify(answer), deps.random),
    network,
    browser: peerOf(address),
    ticketHash: hashSecret(ticket),
    // A refusal gives its client nothing: it reaches the client from everywhere.
    isConfirmed: answer.code === undefined,
    expiresAt: endOf('relay_entries.expires_at', now),
  };
  await deps.unitOfWork(async ({ relay }) => {
    await relay.purgeExpired(now.toISOString());
    await requireCapacity(relay, network, now.toISOString());
    await relay.park(entry);
  });
}

/** Which client gets a code: see SVC_RELAY_BINDING. */
export type RelayBinding = 'address' | 'always' | 'off';

export type CollectDeps = Pick<Parts, 'clock'> & {
  unitOfWork: UnitOfWork<{ relay: RelayStore }>;
  relay: RelayStore;
  relayBinding: RelayBinding;
};

const PENDING: RelayResult = { pending: true };

/** The most networks from which clients may wait for one response: more are not recorded. */
const MAX_CLIENTS = 4;

/**
 * Records that a client waits, so that the callback page knows whether it has to ask for digits. Beyond the limits the client waits as
 * well; only the page asks more often.
 */
async function recordClient(
  deps: CollectDeps,
  stateHash: string,
  app: string | undefined,
  address: string | null,
): Promise<void> {
  const now = deps.clock();
  const at = now.toISOString();
  const [network, site] = [peerOf(address), siteOf(address)];
  const present = await deps.relay.clientsOf(stateHash, at);
  if (present.length >= MAX_CLIENTS || present.some((client) => client.network === network)) return;
  const { all, here } = await deps.relay.countClients(site, at);
  if (all >= MAX_ENTRIES || here >= shareAt(all)) return;
  const expiresAt = endOf('relay_clients.expires_at', now);
  await deps.unitOfWork(async ({ relay }) => {
    await relay.purgeExpired(at);
    await relay.addClient({ stateHash, network, site, appId: app ?? null, expiresAt });
  });
}

/** Who asks for a response. */
export type WaitingClient = {
  /** The IP address of the client. */
  address: string | null;
  /** Whether it closed its connection since. */
  hasLeft: () => Promise<boolean>;
};

/**
 * Returns the authorization response of a state, to one request only: of a client at the network address of the browser, or after the
 * user confirmed the client. A client that has left leaves the response to its next request.
 */
export async function collectCode(
  deps: CollectDeps,
  { state, app }: z.infer<typeof RelayQuery>,
  { address, hasLeft }: WaitingClient,
): Promise<RelayResult> {
  const stateHash = hashSecret(state);
  // Most requests come before the response: a read outside a transaction does not wait for writers.
  const entry = await deps.relay.find(stateHash, deps.clock().toISOString());
  const isNear = deps.relayBinding === 'address' && entry?.browser === peerOf(address);
  if (entry === null || !(isNear || entry.isConfirmed || deps.relayBinding === 'off')) {
    if (deps.relayBinding !== 'off') await recordClient(deps, stateHash, app, address);
    return PENDING;
  }
  if (await hasLeft()) return PENDING;
  const isOurs = await deps.unitOfWork(({ relay }) => relay.empty(stateHash));
  return isOurs ? RelayResult.parse(JSON.parse(openEntry(state, entry.sealed))) : PENDING;
}
