import { isDeepStrictEqual } from 'node:util';
import { inBackground } from '@svc/contracts/guarded';
import { verifyManaged } from '@svc/signing';
import type { Accounts } from '../accounts/accounts.ts';
import type { Events } from '../events/events.ts';
import type { Library } from '../library/library.ts';
import { chanceOf, pauseBefore } from '../platform/pause-before.ts';
import { asRefusal, type RefusalCode } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { requireSigner, type StoreKeys } from '../store/store-keys.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { Carry, Problem } from './carry-out.ts';
import { memberHoursOf } from './rules.ts';
import type { ManagedState } from './state.ts';

const HOUR_MS = 3_600_000;

/** How often the settings of the store are fetched, in milliseconds. */
const MANAGED_POLL_MS = HOUR_MS / 4;

export type ManagedWatch = {
  /** Fetches the settings of the store and carries out what they require, now and then regularly, until `stop`. Idempotent. */
  start(): void;
  stop(): void;
  /** The same once. @returns why the settings of the store could not be accepted; null if they were, or none are asked for */
  check(signal?: AbortSignal): Promise<RefusalCode | null>;
  /** Why the last check failed; null if it did not. */
  refused(): RefusalCode | null;
  /** What of the requirements could not be carried out. */
  problems(): readonly Problem[];
};

export type ManagedWatchDeps = {
  system: Pick<System, 'now' | 'sleep' | 'randomBytes'>;
  state: ManagedState;
  fromStore: boolean;
  library: Library;
  events: Events;
  reader: Pick<StoreReader, 'store' | 'managed'>;
  keys: StoreKeys;
  accounts: Pick<Accounts, 'disconnect' | 'list'>;
  carryOut: Carry;
  onFault: (error: unknown) => void;
};

const UNSIGNED = 'The managed settings are not signed by the current key of the store.';

/** Creates the watch that keeps the settings of a company in force. */
export function createManagedWatch(deps: ManagedWatchDeps): ManagedWatch {
  const { system, state, library, events, reader, keys } = deps;
  let running: AbortController | null = null;
  let refused: RefusalCode | null = null;
  let retryAfter = 0;
  let problems: readonly Problem[] = [];

  async function fetchNow(signal?: AbortSignal): Promise<void> {
    const next = await reader.managed(signal);
    const signer = await requireSigner(keys, (ring) => verifyManaged(next, ring), UNSIGNED, signal);
    state.accept({ ...next, signer }, system.now());
  }

  /** Ends calls and panels of what may not be used any more, and tells what may be used again. */
  function emitChanges(before: ReadonlyMap<string, boolean>): void {
    for (const app of library.list()) {
      const { appId, version } = app;
      const isAllowed = library.refusal(app) === null;
      if (before.get(appId) === isAllowed) continue;
      events.emit({ type: 'app-switched', appId, version, on: isAllowed && app.on, project: null });
    }
  }

  const allowedNow = () => new Map(library.list().map((app) => [app.appId, library.refusal(app) === null]));

  /** Whether the user has been gone for as long as members may be without contact, and the store says that they are no member. */
  function hasLeft(): boolean {
    const kept = state.kept();
    const hours = memberHoursOf(state.rules());
    if (!kept || kept.leftAt === null || hours === null) return false;
    return Math.abs(system.now() - kept.contactAt) >= hours * HOUR_MS;
  }

  /** Revokes and removes the tokens of the store's apps. */
  async function endAccess(): Promise<void> {
    const ofStore = library
      .list()
      .filter(({ source }) => source.kind === 'store' && source.store === reader.store);
    for (const app of ofStore) {
      const connected = (await deps.accounts.list(app)).filter((account) => account.connected);
      for (const { id } of connected) await deps.accounts.disconnect(app, id);
    }
  }

  async function refresh(signal?: AbortSignal): Promise<RefusalCode | null> {
    retryAfter = 0;
    try {
      await fetchNow(signal);
      return null;
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = asRefusal(error);
      if (!refusal) throw error;
      retryAfter = Number(refusal.detail.retryAfter ?? 0);
      if (refusal.code === 'sign-in-needed') state.recordLeft(system.now());
      return refusal.code;
    }
  }

  async function check(signal?: AbortSignal): Promise<RefusalCode | null> {
    const [rules, allowed] = [state.rules(), allowedNow()];
    if (deps.fromStore) refused = await refresh(signal);
    emitChanges(allowed);
    if (!isDeepStrictEqual(rules, state.rules())) events.emit({ type: 'managed-changed' });
    if (hasLeft()) await endAccess();
    problems = await deps.carryOut(signal);
    return refused;
  }

  async function run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      failures += 1;
      try {
        if ((await check(signal)) === null) failures = 0;
      } catch (error) {
        if (!signal.aborted) deps.onFault(error);
      }
      const pause = pauseBefore({ everyMs: MANAGED_POLL_MS, failures, retryAfter, chance: chanceOf(system) });
      await system.sleep(pause, signal).catch(() => undefined);
    }
  }

  return {
    check,
    refused: () => refused,
    problems: () => problems,
    start() {
      if (running) return;
      running = new AbortController();
      inBackground(run(running.signal), deps.onFault);
    },
    stop: () => running?.abort(),
  };
}
