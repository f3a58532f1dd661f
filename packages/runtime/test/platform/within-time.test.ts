import { describe, expect, it } from 'vitest';
import { withinLimit, withinTime } from '../../src/platform/within-time.ts';
import { realSystem } from '../support/real-system.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('an error of its own')));
  });

const never = AbortSignal.any([]);

describe('a time limit', () => {
  it('aborts work that takes too long, with the code too-slow', async () => {
    await expect(withinTime(realSystem, 5, never, untilAborted)).rejects.toMatchObject({ code: 'too-slow' });
  });

  it('returns the result of work that ends in time, and keeps no timer', async () => {
    const ended: unknown[] = [];
    const sleep = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          ended.push(signal);
          reject(signal.reason);
        });
      });
    expect(await withinTime({ sleep }, 60_000, never, async () => 'done')).toBe('done');
    const failing = withinTime({ sleep }, 60_000, never, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(ended).toHaveLength(2);
  });

  it('aborts work when its caller aborts', async () => {
    const caller = new AbortController();
    const work = withinTime(realSystem, 60_000, caller.signal, untilAborted);
    caller.abort('enough');
    await expect(work).rejects.toThrow('an error of its own');
  });
});

describe('a time limit that progress extends', () => {
  const bounds = { ms: 100, maxMs: 250 };

  it('begins again with progress, up to its longest time', async () => {
    const clock = stoppedClock();
    let extend = () => {};
    const work = withinLimit(clock, bounds, never, (signal, limit) => {
      extend = limit.extend;
      return untilAborted(signal);
    });
    const ended = work.catch((error: unknown) => error);
    for (const at of [80, 160, 240]) {
      await clock.pass(80);
      expect(clock.now()).toBe(at);
      extend();
    }
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await clock.pass(9);
    expect(isOver).toBe(false);
    await clock.pass(2);
    expect(await ended).toMatchObject({ code: 'too-slow' });
  });

  it('ends without progress', async () => {
    const clock = stoppedClock();
    const ended = withinLimit(clock, bounds, never, untilAborted).catch((error: unknown) => error);
    await clock.pass(100);
    expect(await ended).toMatchObject({ code: 'too-slow' });
  });

  it('stands still while the user is asked, also by two questions at once', async () => {
    const clock = stoppedClock();
    const answers: (() => void)[] = [];
    const question = () => new Promise<void>((resolve) => answers.push(resolve));
    let isAborted = false;
    const work = withinLimit(clock, bounds, never, async (signal, limit) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      await Promise.all([limit.pausing(question), limit.pausing(question)]);
      await untilAborted(signal);
    }).catch((error: unknown) => error);
    await clock.pass(10_000);
    for (const answer of answers) answer();
    await clock.pass(0);
    await clock.pass(90);
    expect(isAborted).toBe(false);
    await clock.pass(20);
    expect(await work).toMatchObject({ code: 'too-slow' });
  });
});

describe('a transfer', () => {
  /** A clock that each sleep advances at once. */
  function fastTime() {
    let now = 0;
    return {
      now: () => now,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        now += ms;
      },
    };
  }

  it('is aborted without progress', async () => {
    const time = fastTime();
    const stuck = withinLimit(time, { maxMs: 1_000_000, ms: 10 }, never, untilAborted);
    await expect(stuck).rejects.toMatchObject({ code: 'too-slow' });
    expect(time.now()).toBe(10);
  });

  it('is aborted when it exceeds its total time', async () => {
    const time = fastTime();
    let extend = () => {};
    const sleep: typeof time.sleep = async (ms, signal) => {
      await time.sleep(ms, signal);
      extend();
    };
    const dripping = withinLimit({ ...time, sleep }, { maxMs: 100, ms: 10 }, never, (signal, limit) => {
      extend = limit.extend;
      return untilAborted(signal);
    });
    await expect(dripping).rejects.toMatchObject({ code: 'too-slow' });
    expect(time.now()).toBe(100);
  });

  it('returns its result in time, and passes on its error', async () => {
    const bounds = { maxMs: 10, ms: 10 };
    expect(await withinLimit(fastTime(), bounds, never, async () => 'here')).toBe('here');
    const failing = withinLimit(fastTime(), bounds, never, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
  });
});
