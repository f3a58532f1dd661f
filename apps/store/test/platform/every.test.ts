import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { createJobTracker, every } from '../../src/platform/every.ts';

const silent = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const soon = { firstMs: 1, thenMs: 1 };

describe('every', () => {
  it('continues after failures, logs ever fewer of them, and then that it works again', async () => {
    const log = silent();
    const err = new Error('no');
    let times = 0;
    const fails = async () => {
      times += 1;
      if (times < 10) throw err;
    };
    const recurring = every('Trying', soon, fails, log);
    await eventually(() => expect(times).toBeGreaterThan(11));
    await recurring.stop();
    const failed = [1, 2, 4, 8].map((failures) => [{ err, failures }, 'Trying failed and will be retried.']);
    expect(log.error.mock.calls).toEqual(failed);
    expect(log.info.mock.calls).toEqual([[{ failures: 9 }, 'Trying works again.']]);
  });

  it('never runs the work twice at the same time', async () => {
    let [inside, most, times] = [0, 0, 0];
    const slow = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(5);
      inside -= 1;
      times += 1;
    };
    const recurring = every('Working', soon, slow, silent());
    await eventually(() => expect(times).toBeGreaterThan(2));
    await recurring.stop();
    expect(most).toBe(1);
  });

  it('aborts the signal of the current run when it is stopped, and waits for it', async () => {
    const log = silent();
    let ended = false;
    let begun = false;
    const recurring = every(
      'Waiting',
      soon,
      async (signal) => {
        begun = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await sleep(10);
        ended = true;
        signal.throwIfAborted();
      },
      log,
    );
    await eventually(() => expect(begun).toBe(true));
    await recurring.stop();
    expect(ended).toBe(true);
    expect(log.error).not.toHaveBeenCalled();
  });

  it('does nothing once it is stopped', async () => {
    const work = vi.fn(async () => {});
    await every('Nothing', soon, work, silent()).stop();
    await sleep(20);
    expect(work).not.toHaveBeenCalled();
  });
});

describe('the job tracker', () => {
  it('records when each job ran and when it failed, and rethrows its error', async () => {
    const seconds = [1, 2].values();
    const tracker = createJobTracker(() => new Date((seconds.next().value ?? 0) * 1_000));
    let fails = false;
    const sweep = tracker.track('Sweeping', async (removed: number) => {
      if (fails) throw new Error('The disk is full.');
      return removed;
    });
    tracker.track('Sending mails', async () => {});
    expect(await sweep(3)).toBe(3);
    fails = true;
    await expect(sweep(3)).rejects.toThrow('The disk is full.');
    expect(tracker.list()).toEqual([
      { name: 'Sweeping', doneAt: '1970-01-01T00:00:01.000Z', failedAt: '1970-01-01T00:00:02.000Z' },
      { name: 'Sending mails', doneAt: null, failedAt: null },
    ]);
  });
});
