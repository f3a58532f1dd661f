import { RelayResult } from '@svc/contracts';
import type { Clock, UnitOfWork } from '../platform/system.ts';
import type { RelayStore } from './relay-store.ts';
import { hashState, openEntry } from './seal-entry.ts';

export type CollectDeps = { unitOfWork: UnitOfWork<{ relay: RelayStore }>; relay: RelayStore; clock: Clock };

const PENDING: RelayResult = { pending: true };

/** Gives out what is parked under a state, to one of all who ask. */
export async function collectCode(deps: CollectDeps, state: string): Promise<RelayResult> {
  const stateHash = hashState(state);
  const now = deps.clock().toISOString();
  const sealed = await deps.relay.find(stateHash, now);
  // Most who ask are too early, and must not wait for those who write.
  if (sealed === null) return PENDING;
  const isOurs = await deps.unitOfWork(({ relay }) => relay.empty(stateHash));
  return isOurs ? RelayResult.parse(JSON.parse(openEntry(state, sealed))) : PENDING;
}
