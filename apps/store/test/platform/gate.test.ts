import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/platform/gate.ts';

/** Work that goes on until it is told to end. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let started = false;
  return {
    end: resolve,
    hasStarted: () => started,
    run: async () => {
      started = true;
      await promise;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('createGate', () => {
  it('lets so many in at once, and the others in their order', async () => {
    const gate = createGate({ active: 2, waiting: 10 });
    const jobs = [work(), work(), work(), work()];
    const done = jobs.map(({ run }) => gate(run));
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, true, false, false]);
    jobs[1]?.end();
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, true, true, false]);
    for (const job of jobs) job.end();
    await Promise.all(done);
    expect(jobs.every((job) => job.hasStarted())).toBe(true);
  });

  it('turns away who comes when too many wait, and says when to come again', async () => {
    const gate = createGate({ active: 1, waiting: 1 });
    const [one, two] = [work(), work()];
    const done = [gate(one.run), gate(two.run)];
    await expect(gate(async () => 3)).rejects.toMatchObject({
      code: 'unavailable',
      extras: { retryAfter: 5 },
    });
    one.end();
    two.end();
    await Promise.all(done);
    expect(await gate(async () => 4)).toBe(4);
  });

  it('gives its place on when the work fails', async () => {
    const gate = createGate({ active: 1, waiting: 5 });
    const failed = gate(() => Promise.reject(new Error('No.')));
    const next = gate(async () => 'next');
    await expect(failed).rejects.toThrow('No.');
    expect(await next).toBe('next');
  });
});
