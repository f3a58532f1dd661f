import { inBackground } from '@svc/contracts/guarded';
import type { Events } from '../events/events.ts';
import { chanceOf, pauseBefore } from '../platform/pause-before.ts';
import type { System } from '../platform/system.ts';
import type { AutoUpdate } from '../runtime-options.ts';
import {
  type Alone,
  checkUpdates,
  isAway,
  type UpdateDeps,
  type UpdateOutcome,
  type UpdateWait,
  type WaitingUpdate,
} from './update-apps.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How often updates are looked for, in milliseconds. */
const UPDATE_POLL_MS = 4 * HOUR_MS;

/** Most time to the first check, in milliseconds: many computers start in the same minute of the morning. */
const FIRST_MS = 10 * MINUTE_MS;

/** Most time to the check after a yank, whose fix may be there, in milliseconds. */
const AFTER_YANK_MS = 3 * MINUTE_MS;

/** A pause is slept in parts of this length: the timers of many systems stand still while a computer sleeps, its clock does not. */
const PART_MS = MINUTE_MS;

/** After this time an update that the user has to agree to is downloaded again: they may be asked about less since then. */
const AGAIN_MS = 24 * HOUR_MS;

export type UpdateWatch = {
  /** Looks for updates soon and then every few hours, until `stop`, and installs those that ask for nothing new. Idempotent. */
  start(): void;
  stop(): void;
  /** The updates that wait, as of the last check. */
  waiting(): readonly WaitingUpdate[];
  /** When it last had an answer for every app, in milliseconds since 1970; null before the first time. */
  checkedAt(): number | null;
  /** Whether updates that ask for nothing new are installed now, by the choices of the user and the company. */
  installsNow(): boolean;
};

export type UpdateWatchDeps = Omit<UpdateDeps, 'decide'> & {
  system: System;
  events: Events;
  autoUpdate: AutoUpdate;
  /** Whether a call, sign-in or panel of an app is open. */
  isInUse(appId: string): boolean;
  /** Whether an update is installed as soon as it is found, because the company does not allow the installed version. */
  isForced?(found: Found): boolean;
  /** Receives faults of the program; the watch continues. */
  onFault: (error: unknown) => void;
};

type Found = { appId: string; version: string; to: string };

/** Creates the watch that keeps the apps of a store up to date. */
export function createUpdateWatch(deps: UpdateWatchDeps): UpdateWatch {
  const { system, events, library } = deps;
  const { installs = () => true, isMetered = async () => false } = deps.autoUpdate;
  const waits = new Map<string, WaitingUpdate & { since: number }>();
  let checkedAt: number | null = null;
  let running: AbortController | null = null;
  let nap = new AbortController();

  const unsubscribe = events.subscribe(({ type }) => {
    if (type === 'app-yanked') nap.abort();
  });

  /** Whether an update waits for the user already: it is not downloaded again to find that out. */
  const isAsked = ({ appId, version, to }: Found): boolean => {
    const known = waits.get(appId);
    return (
      known?.why === 'asks' &&
      known.version === version &&
      known.to === to &&
      Math.abs(system.now() - known.since) < AGAIN_MS
    );
  };

  const useOf = (appId: string): UpdateWait | null => (deps.isInUse(appId) ? 'in-use' : null);

  /** What keeps the updates of one check waiting: the system is asked about its network once. */
  function aloneNow(): Alone {
    let metered: Promise<boolean> | null = null;
    const forced = new Set<string>();
    return {
      async beforeDownload(found) {
        if (isAsked(found)) return 'asks';
        if (deps.isForced?.(found)) {
          forced.add(found.appId);
          return useOf(found.appId);
        }
        if (!installs()) return 'off';
        metered ??= isMetered();
        return (await metered) ? 'metered' : useOf(found.appId);
      },
      beforeInstall: (appId) => (forced.has(appId) || installs() ? useOf(appId) : 'off'),
    };
  }

  function recordWait(outcome: WaitingUpdate): void {
    const { appId, version, to, why } = outcome;
    const before = waits.get(appId);
    const isSame = before?.version === version && before.to === to && before.why === why;
    if (isAsked(outcome)) return;
    waits.set(appId, { ...outcome, since: system.now() });
    if (!isSame) events.emit({ type: 'update-waiting', appId, version, to });
  }

  function record(outcomes: readonly UpdateOutcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.outcome === 'waiting') recordWait(outcome);
      // Of an app that could not be checked, nothing new is known.
      else if (outcome.outcome !== 'refused') waits.delete(outcome.appId);
    }
  }

  /** Checks the apps, or only some. @returns how the store was away, if it was; else nothing */
  async function check(signal: AbortSignal, appIds?: ReadonlySet<string>) {
    const list = () => library.list().filter(({ appId }) => appIds?.has(appId) ?? true);
    const outcomes = await checkUpdates(
      { ...deps, library: { list }, decide: { alone: aloneNow() } },
      signal,
    );
    record(outcomes);
    return { away: outcomes.find(isAway) };
  }

  /** Installs what waited only for the end of a use. */
  async function installUnused(signal: AbortSignal): Promise<void> {
    const free = waits.values().filter(({ why, appId }) => why === 'in-use' && !deps.isInUse(appId));
    const appIds = new Set(free.map(({ appId }) => appId));
    if (appIds.size > 0) await unlessFaulty(signal, () => check(signal, appIds));
  }

  /** @returns null after a fault of the program, which is reported */
  async function unlessFaulty<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) deps.onFault(error);
      return null;
    }
  }

  /** Sleeps by the clock, also over a sleep of the computer. @returns how long, in milliseconds */
  async function sleepPart(ms: number, signal: AbortSignal): Promise<number> {
    const began = system.now();
    await system.sleep(ms, AbortSignal.any([signal, nap.signal])).catch(() => undefined);
    const passed = system.now() - began;
    // A clock that was set back or stands still measures nothing.
    return passed > 0 ? passed : ms;
  }

  /** Passes so many milliseconds, fewer once a version is yanked, and installs meanwhile what is no longer in use. */
  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !signal.aborted; ) {
      left -= await sleepPart(Math.min(left, PART_MS), signal);
      if (nap.signal.aborted) {
        nap = new AbortController();
        left = Math.min(left, AFTER_YANK_MS * chanceOf(system));
      }
      if (left > 0) await installUnused(signal);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    await pause(FIRST_MS * chanceOf(system), signal);
    for (let failures = 0; !signal.aborted; ) {
      failures += 1;
      const checked = await unlessFaulty(signal, () => check(signal));
      if (checked && !checked.away) {
        failures = 0;
        checkedAt = system.now();
      }
      const asked = { failures, retryAfter: checked?.away?.retryAfter ?? 0, chance: chanceOf(system) };
      await pause(pauseBefore({ everyMs: UPDATE_POLL_MS, ...asked }), signal);
    }
  }

  return {
    start() {
      if (running) return;
      running = new AbortController();
      inBackground(run(running.signal), deps.onFault);
    },
    stop() {
      running?.abort();
      unsubscribe();
    },
    waiting() {
      const installed = new Map(library.list().map(({ appId, version }) => [appId, version]));
      return [...waits.values()].flatMap(({ since: _, ...one }) =>
        installed.get(one.appId) === one.version ? [one] : [],
      );
    },
    checkedAt: () => checkedAt,
    installsNow: () => installs(),
  };
}
