import { describe, expect, it } from 'vitest';
import { createJobTracker } from '../../src/platform/job-tracker.ts';

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
