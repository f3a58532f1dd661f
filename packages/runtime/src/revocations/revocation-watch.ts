import { inBackground } from '@svc/contracts/guarded';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { type LastList, lastListOf } from '../library/withdrawals.ts';
import { type RefusalCode, RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { acceptList } from './accept-list.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay before a retry after a failure, in milliseconds: a computer that wakes up may have no network yet. */
const RETRY_MS = 5 * MINUTE_MS;

/** The age at which a list is stale, in milliseconds: a store signs it at least hourly. */
const STALE_AFTER_MS = 3 * HOUR_MS;

/** How far in the future a list may be signed before `revocations-ahead` is emitted, in milliseconds. */
const AHEAD_MS = HOUR_MS;

/** The result of a check of the revocation list. */
export type RevocationReport = {
  /** Why the list was not accepted; null when it was. */
  refused: RefusalCode | null;
  /** Time of the last accepted list; null when there is none. */
  signedAt: string | null;
  stale: boolean;
  /** The list is signed in the future: the clock of the store or of this computer is wrong. */
  ahead: boolean;
};

export type RevocationWatch = {
  /** Fetches the list now. A list that is refused or cannot be fetched changes nothing. */
  check(signal?: AbortSignal): Promise<RevocationReport>;
  /** Fetches the list now and then hourly, until `stop`. Idempotent. */
  start(): void;
  stop(): void;
};

export type RevocationWatchDeps = {
  system: Pick<System, 'now' | 'sleep'>;
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
  const announced = new Set<string>();
  let running: AbortController | null = null;

  /** Emits each yanked version once, also if another process accepted the list. */
  function emitChanges(): void {
    const apps = library.list().filter(({ source }) => source.kind === 'store' && source.store === store);
    for (const app of apps) {
      const { appId, version, withdrawn } = app;
      const name = nameOf(app);
      if (withdrawn && !announced.has(name)) {
        announced.add(name);
        events.emit({ type: 'app-withdrawn', appId, version, reason: withdrawn.reason });
      } else if (!withdrawn && announced.delete(name)) {
        events.emit({ type: 'app-let-back', appId, version });
      }
    }
  }

  async function refresh(signal?: AbortSignal): Promise<RefusalCode | null> {
    try {
      await acceptList({ system, storage, keys, store }, await reader.revocations(signal), signal);
      return null;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof RuntimeError) return error.code;
      throw error;
    }
  }

  async function check(signal?: AbortSignal): Promise<RevocationReport> {
    const refused = await refresh(signal);
    emitChanges();
    const status = statusOf(lastListOf(storage.database, store), system.now());
    const { signedAt, stale, ahead } = status;
    if (refused) events.emit({ type: 'revocations-refused', store, reason: refused });
    if (stale) events.emit({ type: 'revocations-stale', store, signedAt });
    if (ahead && signedAt !== null) events.emit({ type: 'revocations-ahead', store, signedAt });
    return { refused, ...status };
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pause = RETRY_MS;
      try {
        if ((await check(signal)).refused === null) pause = HOUR_MS;
      } catch (error) {
        if (!signal.aborted) deps.onFault(error);
      }
      await system.sleep(pause, signal).catch(() => undefined);
    }
  }

  return {
    check,
    start() {
      if (running) return;
      running = new AbortController();
      inBackground(run(running.signal), deps.onFault);
    },
    stop() {
      running?.abort();
      running = null;
    },
  };
}
