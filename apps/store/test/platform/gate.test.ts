import { describe, expect, it } from 'vitest';
import { createGate, type GateLimits, type Party } from '../../src/platform/gate.ts';

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

/** A caller at an address of its own unless another is given. */
const party = (account: string, network = account): Party => ({ account, network });

/** Who is let in, in order, when all that they do ends as soon as it has begun. */
async function orderOf(limits: GateLimits, parties: readonly Party[]): Promise<string[]> {
  const gate = createGate(limits);
  const first = work();
  const held = Array.from({ length: limits.active }, () => gate(first.run));
  const order: string[] = [];
  const asked = parties.map((who) => gate(async () => void order.push(who.account), who));
  first.end();
  await Promise.all([...held, ...asked]);
  return order;
}

describe('a gate that is shared', () => {
  const limits = { active: 1, waiting: 100 };

  it('lets an account that asks often wait behind itself', async () => {
    const hostile = Array.from({ length: 50 }, () => party('hostile'));
    const order = await orderOf(limits, [...hostile, party('honest'), party('other')]);
    expect(order.slice(0, 3).toSorted()).toEqual(['honest', 'hostile', 'other']);
  });

  it('gives a network with many accounts no more than one with few', async () => {
    const gate = createGate({ active: 2, waiting: 100 });
    const [long, next] = [work(), work()];
    const held = [gate(long.run, party('a', 'many')), gate(next.run, party('z', 'far'))];
    const order: string[] = [];
    const asked = ['b', 'c', 'd'].map((name) => gate(async () => void order.push(name), party(name, 'many')));
    asked.push(gate(async () => void order.push('honest'), party('honest', 'few')));
    next.end();
    await Promise.all([held[1], ...asked]);
    expect(order[0]).toBe('honest');
    long.end();
    await held[0];
  });

  it('lets an account and a network have so many places and no more, while others have theirs', async () => {
    const gate = createGate({
      active: 4,
      waiting: 10,
      perAccount: { active: 1, waiting: 1 },
      perNetwork: { active: 2, waiting: 2 },
    });
    const jobs = Array.from({ length: 5 }, work);
    const run = (n: number, who: Party) => gate((jobs[n] as (typeof jobs)[number]).run, who);
    const done = [run(0, party('a', 'n')), run(1, party('a', 'n')), run(2, party('b', 'n'))];
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, false, true, false, false]);
    await expect(run(3, party('a', 'n'))).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfter: 5 },
    });
    done.push(run(3, party('c', 'n')));
    await expect(run(4, party('d', 'n'))).rejects.toMatchObject({ code: 'rate_limited' });
    done.push(run(4, party('d', 'elsewhere')));
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, false, true, false, true]);
    for (const job of jobs) job.end();
    await Promise.all(done);
    expect(jobs.every((job) => job.hasStarted())).toBe(true);
  });

  it('holds what is trusted to no caps but those of all', async () => {
    const gate = createGate({ active: 3, waiting: 1, perAccount: { active: 1, waiting: 0 } });
    const trusted = { ...party('automation'), trusted: true };
    const jobs = Array.from({ length: 4 }, work);
    const done = jobs.map(({ run }) => gate(run, trusted));
    await settle();
    expect(jobs.map((job) => job.hasStarted())).toEqual([true, true, true, false]);
    await expect(gate(async () => 1, trusted)).rejects.toMatchObject({ code: 'unavailable' });
    for (const job of jobs) job.end();
    await Promise.all(done);
  });
});
