import { type RelayQuery, RelayResult } from '@svc/contracts';
import type { z } from 'zod';
import type { Parts } from '../../domain/parts/parts.ts';
import { hashSecret, openEntry } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { endOf } from '../../platform/terms.ts';
import { MAX_ENTRIES, peerOf, shareAt, siteOf } from './capacity.ts';
import type { RelayStore } from './relay-store.ts';

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

/**
 * Returns the authorization response of a state, to one request only: of a client at the network address of the browser, or after the
 * user confirmed the client.
 * @param address the IP address of the client
 */
export async function collectCode(
  deps: CollectDeps,
  { state, app }: z.infer<typeof RelayQuery>,
  address: string | null,
): Promise<RelayResult> {
  const stateHash = hashSecret(state);
  // Most requests come before the response: a read outside a transaction does not wait for writers.
  const entry = await deps.relay.find(stateHash, deps.clock().toISOString());
  const isNear = deps.relayBinding === 'address' && entry?.browser === peerOf(address);
  if (entry === null || !(isNear || entry.isConfirmed || deps.relayBinding === 'off')) {
    if (deps.relayBinding !== 'off') await recordClient(deps, stateHash, app, address);
    return PENDING;
  }
  const isOurs = await deps.unitOfWork(({ relay }) => relay.empty(stateHash));
  return isOurs ? RelayResult.parse(JSON.parse(openEntry(state, entry.sealed))) : PENDING;
}
