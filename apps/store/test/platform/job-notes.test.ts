import { describe, expect, it } from 'vitest';
import { createJobNotes } from '../../src/platform/job-notes.ts';

describe('notes on jobs', () => {
  it('tell when each was done and when it failed, and leave the fault to whoever does it', async () => {
    const seconds = [1, 2].values();
    const notes = createJobNotes(() => new Date((seconds.next().value ?? 0) * 1_000));
    let fails = false;
    const sweep = notes.noting('Sweeping', async (removed: number) => {
      if (fails) throw new Error('The disk is full.');
      return removed;
    });
    notes.noting('Sending mails', async () => {});
    expect(await sweep(3)).toBe(3);
    fails = true;
    await expect(sweep(3)).rejects.toThrow('The disk is full.');
    expect(notes.list()).toEqual([
      { name: 'Sweeping', doneAt: '1970-01-01T00:00:01.000Z', failedAt: '1970-01-01T00:00:02.000Z' },
      { name: 'Sending mails', doneAt: null, failedAt: null },
    ]);
  });
});
