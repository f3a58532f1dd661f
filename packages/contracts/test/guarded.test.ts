import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAULT, guarded, inBackground } from '../src/guarded.ts';

const failing = {
  throws: () => {
    throw new Error('broken');
  },
  rejects: async () => {
    throw new Error('broken');
  },
  'throws no error': () => {
    throw 'broken';
  },
};

/** The warnings of this process, which are not emitted. */
function caughtWarnings() {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitted.mockRestore());
  return () => emitted.mock.calls as unknown[][];
}

const REPORT = ['broken', { type: FAULT, detail: expect.stringContaining('broken') }];

describe('guarded', () => {
  it.each(Object.entries(failing))('reports a callback that %s, and does not throw', async (_, work) => {
    const warnings = caughtWarnings();
    expect(guarded(work)()).toBeUndefined();
    await expect.poll(warnings).toEqual([REPORT]);
  });

  it('passes its arguments on, and reports to the given function', async () => {
    const faults: unknown[] = [];
    const add = async (a: number, b: number) => {
      throw a + b;
    };
    guarded(add, (error) => faults.push(error))(1, 2);
    await expect.poll(() => faults).toEqual([3]);
  });
});

it('reports work in the background that rejects', async () => {
  const warnings = caughtWarnings();
  inBackground(failing.rejects());
  await expect.poll(warnings).toEqual([REPORT]);
});
