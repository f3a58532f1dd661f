import { inBackground } from '@svc/contracts/guarded';
import type { Events, RuntimeEvent } from '../events/events.ts';
import { type LastList, lastListOf } from '../library/app-table.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { chanceOf, pauseBefore } from '../platform/pause-before.ts';
import { asRefusal, type RefusalCode } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { acceptList } from './accept-list.ts';
import { createListSource } from './list-source.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How often the list is fetched, in milliseconds: a store answers 304 while it has not changed. */
export const REVOCATION_POLL_MS = 3 * MINUTE_MS;

/** Hints within this time of the last check cause no other one, in milliseconds. */
const HINT_MS = MINUTE_MS;

/** The same problem is announced again after this time, in milliseconds. */
const REPEAT_MS = HOUR_MS;

/** The age at which a list is stale, in milliseconds: a store signs it at least hourly. */
const STALE_AFTER_MS = 3 * HOUR_MS;

/** How far in the future a list may be signed before `revocations-ahead` is emitted, in milliseconds. */
const AHEAD_MS = HOUR_MS;

/** The result of a check of the revocation list. */
export type RevocationReport = {
  /** Why the list was not accepted, or not stored; null when it was. */
  refused: RefusalCode | null;
  /** Time of the last accepted list; null when there is none. */
  signedAt: string | null;
  stale: boolean;
  /** The list is signed in the future: the clock of the store or of this computer is wrong. */
  ahead: boolean;
};

export type RevocationWatch = {
  /**
   * Fetches the list now. A list that is refused or cannot be fetched changes nothing; one that cannot be stored is in force in this process.
   */
  check(signal?: AbortSignal): Promise<RevocationReport>;
  /** Fetches the list now and then every few minutes, until `stop`. Idempotent. */
  start(): void;
  /** Fetches the list soon, once started: something looks as if an app was yanked. Hints within a minute count once. */
  hint(): void;
  stop(): void;
};

export type RevocationWatchDeps = {
  system: Pick<System, 'now' | 'sleep' | 'randomBytes'>;
  storage: LibraryStorage;
  library: Pick<Library, 'list'>;
  events: Events;
  reader: StoreReader;
  keys: StoreKeys;
  /** Receives faults of the program; the watch continues. */
  onFault: (error: unknown) => void;
};

const nameOf = ({ appId, version }: InstalledApp): string => `${appId}@${version}`;

/** The age of a list: from its signing time or from its acceptance, whichever is earlier, so that a wrong clock cannot make it younger. */
const ageOf = ({ signedAt, acceptedAt }: LastList, now: number): number =>
  now - Math.min(Date.parse(signedAt), acceptedAt ?? Number.POSITIVE_INFINITY);

const statusOf = (last: LastList | null, now: number) => ({
  signedAt: last?.signedAt ?? null,
  stale: last === null || ageOf(last, now) > STALE_AFTER_MS,
  ahead: last !== null && Date.parse(last.signedAt) - now > AHEAD_MS,
});

/** Creates the watch that switches off yanked versions of a store. Each process of a client has one per store. */
export function createRevocationWatch(deps: RevocationWatchDeps): RevocationWatch {
  const { system, storage, library, events, reader, keys } = deps;
  const { store } = reader;
  const fetchList = createListSource({ system, storage, reader, keys });
  const ofStore = () =>
    library.list().filter(({ source }) => source.kind === 'store' && source.store === store);
  /** The installed versions that are yanked, and whether this process has emitted it. */
  const emitted = new Map(
    ofStore()
      .filter(({ yanked }) => yanked)
      .map((app) => [nameOf(app), false]),
  );
  /** Problems that were announced, and when. */
  const problems = new Map<RuntimeEvent['type'], number>();
  let running: AbortController | null = null;
  let nap: AbortController | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** The seconds that the store asked to wait at the last check. */
  let retryAfter = 0;

  /** Announces a problem when it begins, and again every hour. @param event null when there is none */
  function announce(type: RuntimeEvent['type'], event: RuntimeEvent | null): void {
    if (!event) return void problems.delete(type);
    const now = system.now();
    if (now - (problems.get(type) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    problems.set(type, now);
    events.emit(event);
  }

  /** Emits each yanked version once, and the end of its yank, also if another process accepted the list. */
  function emitChanges(): void {
    const apps = ofStore();
    const installed = new Set(apps.map(nameOf));
    for (const name of new Set(emitted.keys()).difference(installed)) emitted.delete(name);
    for (const app of apps) {
      const { appId, version, yanked, restoredAt } = app;
      const name = nameOf(app);
      if (yanked && !emitted.get(name)) {
        emitted.set(name, true);
        events.emit({ type: 'app-yanked', appId, version, reason: yanked.reason });
      } else if (!yanked && emitted.delete(name)) {
        events.emit({ type: 'app-restored', appId, version, on: app.on || restoredAt != null });
      }
    }
  }

  async function refresh(signal?: AbortSignal): Promise<RefusalCode | null> {
    retryAfter = 0;
    try {
      const fresh = await fetchList(signal);
      if (!fresh) return null;
      if (!acceptList({ system, storage, store }, fresh.list)) return refresh(signal);
      fresh.accepted();
      return null;
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = asRefusal(error);
      retryAfter = Number(refusal?.detail.retryAfter ?? 0);
      if (refusal) return refusal.code;
      // A version that is yanked stops although the list could not be stored.
      emitChanges();
      throw error;
    }
  }

  async function check(signal?: AbortSignal): Promise<RevocationReport> {
    checkedAt = system.now();
    const refused = await refresh(signal);
    emitChanges();
    const status = statusOf(lastListOf(storage.database, store), system.now());
    const { signedAt, stale, ahead } = status;
    const isAhead = ahead && signedAt !== null;
    announce('revocations-refused', refused && { type: 'revocations-refused', store, reason: refused });
    announce('revocations-stale', stale ? { type: 'revocations-stale', store, signedAt } : null);
    announce('revocations-ahead', isAhead ? { type: 'revocations-ahead', store, signedAt } : null);
    return { refused, ...status };
  }

  async function run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      failures += 1;
      try {
        if ((await check(signal)).refused === null) failures = 0;
      } catch (error) {
        if (!signal.aborted) deps.onFault(error);
      }
      const chance = chanceOf(system);
      const pause = pauseBefore({ everyMs: REVOCATION_POLL_MS, failures, retryAfter, chance });
      nap = new AbortController();
      await system.sleep(pause, AbortSignal.any([signal, nap.signal])).catch(() => undefined);
    }
  }

  return {
    check,
    start() {
      if (running) return;
      running = new AbortController();
      inBackground(run(running.signal), deps.onFault);
    },
    hint() {
      if (Math.abs(system.now() - checkedAt) >= HINT_MS) nap?.abort();
    },
    stop() {
      running?.abort();
      running = null;
    },
  };
}
