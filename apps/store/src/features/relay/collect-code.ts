import { RelayResult } from '@svc/contracts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';
import type { RelayStore } from './relay-store.ts';
import { hashState, openEntry } from './seal-entry.ts';

export type CollectDeps = { unitOfWork: UnitOfWork<{ relay: RelayStore }>; relay: RelayStore; clock: Clock };

const PENDING: RelayResult = { pending: true };

/** Returns the authorization response of a state, to one request only. */
export async function collectCode(deps: CollectDeps, state: string): Promise<RelayResult> {
  const stateHash = hashState(state);
  const now = deps.clock().toISOString();
  const sealed = await deps.relay.find(stateHash, now);
  // Most requests come before the response: a read outside a transaction does not wait for writers.
  if (sealed === null) return PENDING;
  const isOurs = await deps.unitOfWork(({ relay }) => relay.empty(stateHash));
  return isOurs ? RelayResult.parse(JSON.parse(openEntry(state, sealed))) : PENDING;
}
