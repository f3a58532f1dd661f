import { expect, it } from 'vitest';
import { runBeside } from '../../src/platform/run-beside.ts';

it('runs as many pieces at once as it may, and none that may not run beside those under way', async () => {
  const waiting = ['a', 'a', 'b', 'b', 'c', 'c'];
  const running: string[] = [];
  const seen: number[] = [];
  await runBeside<{ tenant: string }>({
    atOnce: 2,
    next: async (beside) => {
      const at = waiting.findIndex((tenant) => beside.every((one) => one.tenant !== tenant));
      const [tenant] = at < 0 ? [] : waiting.splice(at, 1);
      return tenant === undefined ? undefined : { tenant };
    },
    async work({ tenant }) {
      expect(running).not.toContain(tenant);
      running.push(tenant);
      seen.push(running.length);
      await new Promise((soon) => setImmediate(soon));
      running.splice(running.indexOf(tenant), 1);
    },
  });
  expect([waiting, Math.max(...seen), seen.length]).toEqual([[], 2, 6]);
});

it('starts nothing after a failure or a signal, and ends with what is under way', async () => {
  for (const how of ['failure', 'signal']) {
    const held = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const started: number[] = [];
    const run = runBeside<number>({
      ...{ atOnce: 2, signal: stopping.signal },
      next: async () => started.length,
      async work(piece) {
        started.push(piece);
        if (piece === 0) return held.promise;
        if (how === 'failure') throw new Error('The disk is full.');
        stopping.abort();
      },
    });
    await expect.poll(() => started).toEqual([0, 1]);
    held.resolve();
    await (how === 'failure' ? expect(run).rejects.toThrow('The disk is full.') : run);
    expect(started).toEqual([0, 1]);
  }
});
