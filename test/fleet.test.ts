import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import type { Events, RuntimeEvent } from '../packages/runtime/src/events/events.ts';
import { createUpdateWatch, type UpdateWatchDeps } from '../packages/runtime/src/install/update-watch.ts';
import { chanceOf, pauseBefore } from '../packages/runtime/src/platform/pause-before.ts';
import { REVOCATION_POLL_MS } from '../packages/runtime/src/revocations/revocation-watch.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DESKTOPS = 500;

/** Numbers that look random, the same in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Waiting = { at: number; wake(): void };

/** A clock that goes on when everything sleeps. */
function virtualClock() {
  let now = 0;
  const waiting = new Set<Waiting>();
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const one = { at: now + ms, wake: resolve };
      waiting.add(one);
      signal?.addEventListener('abort', () => {
        if (waiting.delete(one)) resolve();
      });
    });
  return {
    now: () => now,
    sleep,
    /** Lets everything that sleeps until a time go on, in steps of at most a second. */
    async advanceTo(end: number): Promise<void> {
      while (now < end) {
        const next = Math.min(...Array.from(waiting, ({ at }) => at));
        now = Math.min(end, Math.max(next, now + 1_000));
        for (const one of waiting) {
          if (one.at > now) continue;
          waiting.delete(one);
          one.wake();
        }
        await nextTurn();
      }
    },
  };
}

/** Desktops of a company, each with the schedule of the runtime. All start within the same minute. */
function fleetOf(clock: ReturnType<typeof virtualClock>) {
  const random = randomFrom(61);
  const checks: number[][] = [];
  const emitters: ((event: RuntimeEvent) => void)[] = [];
  const system = {
    now: clock.now,
    sleep: clock.sleep,
    randomBytes: (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
  };
  const watches = Array.from({ length: DESKTOPS }, (_, n) => {
    checks[n] = [];
    const events = {
      subscribe: (listener: (event: RuntimeEvent) => void) => {
        emitters[n] = listener;
        return () => {};
      },
      emit: () => {},
    } as unknown as Events;
    const library = {
      list: () => {
        checks[n]?.push(clock.now());
        return [];
      },
    };
    const deps = { system, events, library, autoUpdate: {}, isInUse: () => false };
    return createUpdateWatch({
      ...deps,
      onFault: (error: unknown) => expect.fail(String(error)),
    } as unknown as UpdateWatchDeps);
  });
  return {
    checks,
    system,
    start() {
      for (const watch of watches) watch.start();
    },
    stop() {
      for (const watch of watches) watch.stop();
    },
    /** What a desktop hears when it learns of a yank. */
    yanked: (n: number) => emitters[n]?.({ type: 'app-yanked' } as RuntimeEvent),
  };
}

/** The time within which a share of all have what they waited for. */
const within = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.POSITIVE_INFINITY;

/** The time from a moment to the next check of each desktop. */
const waitsFrom = (checks: readonly number[][], moment: number): number[] =>
  checks.map((times) => (times.find((at) => at >= moment) ?? Number.POSITIVE_INFINITY) - moment);

it(
  '500 desktops that start in one minute have a fixed version within hours, within minutes after a yank, and no two minutes alike',
  DEEP,
  async () => {
    const clock = virtualClock();
    const { checks, system, start, stop, yanked } = fleetOf(clock);
    start();
    // A morning: the checks are spread, although all computers start at once.
    await clock.advanceTo(HOUR_MS);
    const busiest = Math.max(
      ...Object.values(Object.groupBy(checks.flat(), (at) => Math.floor(at / MINUTE_MS))).map(
        (all) => all?.length ?? 0,
      ),
    );
    expect(checks.every((times) => times.length === 1)).toBe(true);
    expect(busiest).toBeLessThan(DESKTOPS / 5);
    await clock.advanceTo(9 * HOUR_MS);
    // The worst moment for a fix: just after most have looked.
    const moments = Array.from({ length: 16 }, (_, n) => ((n + 1) * HOUR_MS) / 4);
    const hours = Math.max(...moments.map((at) => within(waitsFrom(checks, at), 0.95))) / HOUR_MS;
    expect(hours).toBeLessThan(4.8);
    // The faulty version is yanked too, which each desktop learns at its next look at the list.
    const yankedAt = clock.now();
    const heard = Array.from({ length: DESKTOPS }, () => {
      const pause = () =>
        pauseBefore({ everyMs: REVOCATION_POLL_MS, failures: 0, retryAfter: 0, chance: chanceOf(system) });
      // Somewhere within its pause.
      return yankedAt + pause() * chanceOf(system);
    });
    for (const [n, at] of heard.entries()) void clock.sleep(at - yankedAt).then(() => yanked(n));
    await clock.advanceTo(yankedAt + HOUR_MS);
    const minutes = within(waitsFrom(checks, yankedAt), 0.95) / MINUTE_MS;
    expect(minutes).toBeLessThan(7);
    stop();
    process.stdout.write(
      `500 desktops: at most ${busiest} checks a minute in the morning; 95 % have a fix within ${hours.toFixed(1)} hours, and within ${minutes.toFixed(1)} minutes after a yank\n`,
    );
  },
);
