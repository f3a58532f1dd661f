import { describe, expect, it } from 'vitest';
import { createGate, type GateLimits, type Requester } from '../../src/platform/gate.ts';

/** Work that runs until the test calls `end`. */
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
  it('runs a limited number of jobs at once, and the others in order', async () => {
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

  it('refuses a job with retryAfter when too many wait', async () => {
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

  it('runs the next job when one fails', async () => {
    const gate = createGate({ active: 1, waiting: 5 });
    const failed = gate(() => Promise.reject(new Error('No.')));
    const next = gate(async () => 'next');
    await expect(failed).rejects.toThrow('No.');
    expect(await next).toBe('next');
  });
});

/** A caller with its own network unless another one is given. */
const requester = (account: string, network = account): Requester => ({ account, network });

/** The order in which a gate runs the jobs of several callers, which end at once. */
async function orderOf(limits: GateLimits, requesters: readonly Requester[]): Promise<string[]> {
  const gate = createGate(limits);
  const first = work();
  const held = Array.from({ length: limits.active }, () => gate(first.run));
  const order: string[] = [];
  const asked = requesters.map((who) => gate(async () => void order.push(who.account), who));
  first.end();
  await Promise.all([...held, ...asked]);
  return order;
}

describe('a gate with several callers', () => {
  const limits = { active: 1, waiting: 100 };

  it('runs jobs of other accounts before further jobs of an account with many', async () => {
    const hostile = Array.from({ length: 50 }, () => requester('hostile'));
    const order = await orderOf(limits, [...hostile, requester('honest'), requester('other')]);
    expect(order.slice(0, 3).toSorted()).toEqual(['honest', 'hostile', 'other']);
  });

  it('treats a network with many accounts like one with few', async () => {
    const gate = createGate({ active: 2, waiting: 100 });
    const [long, next] = [work(), work()];
    const held = [gate(long.run, requester('a', 'many')), gate(next.run, requester('z', 'far'))];
    const order: string[] = [];
    const asked = ['b', 'c', 'd'].map((name) =>
      gate(async () => void order.push(name), requester(name, 'many')),
    );
    asked.push(gate(async () => void order.push('honest'), requester('honest', 'few')));
    next.end();
    await Promise.all([held[1], ...asked]);
    expect(order[0]).toBe('honest');
    long.end();
    await held[0];
  });

  it('limits the running and waiting jobs of an account and of a network', async () => {
    const gate = createGate({
      active: 4,
      waiting: 10,
      perAccount: { active: 1, waiting: 1 },
      perNetwork: { active: 2, waiting: 2 },
    });
    const jobs = Array.from({ length: 5 }, work);
    const run = (n: number, who: Requester) => gate((jobs[n] as (typeof jobs)[number]).run, who);
    const done = [run(0, requester('a', 'n')), run(1, requester('a', 'n')), run(2, requester('b', 'n'))];
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, false, true, false, false]);
    await expect(run(3, requester('a', 'n'))).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfter: 5 },
    });
    done.push(run(3, requester('c', 'n')));
    await expect(run(4, requester('d', 'n'))).rejects.toMatchObject({ code: 'rate_limited' });
    done.push(run(4, requester('d', 'elsewhere')));
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, false, true, false, true]);
    for (const job of jobs) job.end();
    await Promise.all(done);
    expect(jobs.every((job) => job.hasStarted())).toBe(true);
  });

  it('lets known callers pass a flood of others, which a full queue refuses instead of them', async () => {
    const gate = createGate({ active: 1, waiting: 3 });
    const first = work();
    const order: string[] = [];
    const ask = (who: Requester) => gate(async () => void order.push(who.account), who);
    const flood = [
      gate(first.run, requester('first')),
      ...['a', 'b', 'c'].map((name) => ask(requester(name, 'office'))),
    ];
    const settled = Promise.allSettled(flood);
    const known = ask({ ...requester('anna', 'office'), turn: 'first' });
    await expect(ask(requester('d', 'office'))).rejects.toMatchObject({ code: 'unavailable' });
    first.end();
    await known;
    const [, , , displaced] = await settled;
    expect(order).toEqual(['anna', 'a', 'b']);
    expect(displaced).toMatchObject({ reason: { code: 'unavailable', extras: { retryAfter: 5 } } });
  });

  it('applies only the global limits to trusted callers', async () => {
    const gate = createGate({ active: 3, waiting: 1, perAccount: { active: 1, waiting: 0 } });
    const trusted = { ...requester('automation'), trusted: true };
    const jobs = Array.from({ length: 4 }, work);
    const done = jobs.map(({ run }) => gate(run, trusted));
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, true, true, false]);
    await expect(gate(async () => 1, trusted)).rejects.toMatchObject({ code: 'unavailable' });
    for (const job of jobs) job.end();
    await Promise.all(done);
  });

  it('can serve the newest too once the oldest waits long, so that it does not wait for a flood, and refuse the oldest', async () => {
    let time = 0;
    const gate = createGate({ active: 1, waiting: 4, newestToo: true, now: () => time });
    const first = work();
    const order: string[] = [];
    const ask = (account: string, turn?: 'last') =>
      gate(async () => void order.push(account), { ...requester(account, 'office'), ...(turn && { turn }) });
    const asked = [
      gate(first.run),
      ask('x', 'last'),
      ask('y', 'last'),
      ...['a', 'b', 'c', 'anna'].map((name) => ask(name)),
    ];
    const settled = Promise.allSettled(asked);
    time = 1_001;
    first.end();
    // Those whose turn is last give way first, the last of them, and then the one that has waited longest.
    expect((await settled).flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([1, 2]);
    expect(order).toEqual(['a', 'anna', 'b', 'c']);
    const next = work();
    const again = [gate(next.run), ...['d', 'e', 'f', 'g', 'h'].map((name) => ask(name))];
    const over = Promise.allSettled(again);
    next.end();
    expect((await over)[1]).toMatchObject({ reason: { code: 'unavailable' } });
    // No one waits long: the order in which they came.
    expect(order.slice(4)).toEqual(['e', 'f', 'g', 'h']);
  });
});
