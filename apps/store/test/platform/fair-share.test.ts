import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairShare } from '../../src/platform/fair-share.ts';

/** No limit per second. */
const FAST = { perTurn: 100, perSecond: 2 ** 40, burst: 2 ** 40 };

/** Sends chunks one after the other, like a body, and records each one that passed. */
async function send(
  share: ReturnType<typeof createFairShare>,
  account: string,
  pieces: number,
  passed: string[],
) {
  for (let n = 0; n < pieces; n += 1) {
    await share(account, 100);
    passed.push(account);
  }
}

it('limits the bytes per turn of the event loop', async () => {
  const passed: string[] = [];
  const share = createFairShare({ ...FAST, perTurn: 250 });
  const senders = Array.from({ length: 10 }, () => send(share, 'a', 2, passed));
  let elapsed = 0;
  while (passed.length < 20) {
    await nextTurn();
    elapsed += 1;
  }
  await Promise.all(senders);
  // Three chunks per turn, as the last one may exceed the limit. Without the limit, two share would be enough.
  expect(elapsed).toBeGreaterThanOrEqual(6);
});

it('prefers accounts that have sent the least recently, however many chunks of others wait', async () => {
  const passed: string[] = [];
  const share = createFairShare(FAST);
  const flood = Array.from({ length: 10 }, (_, n) => send(share, `flood ${n}`, 20, passed));
  while (passed.length < 100) await nextTurn();
  const before = passed.length;
  await send(share, 'honest', 5, passed);
  expect(passed.filter((name) => name !== 'honest').length - before).toBeLessThanOrEqual(6);
  await Promise.all(flood);
  expect(passed).toHaveLength(205);
});

it('passes a chunk at once when nothing else waits', async () => {
  const share = createFairShare(FAST);
  let isPassed = false;
  void share('a', 5_000).then(() => {
    isPassed = true;
  });
  await Promise.resolve();
  expect(isPassed).toBe(true);
});

it('shares the throughput among accounts that send continuously', async () => {
  const passed: string[] = [];
  const share = createFairShare(FAST);
  const names = ['a', 'b', 'c'];
  await Promise.all(names.map((name) => send(share, name, 300, passed)));
  const half = passed.slice(0, 450);
  for (const name of names) {
    expect(half.filter((one) => one === name).length).toBeGreaterThan(100);
  }
});

it('limits the bytes per second', async () => {
  const passed: string[] = [];
  const share = createFairShare({ perTurn: 1_000, perSecond: 10_000, burst: 1_000 });
  const began = performance.now();
  const all = send(share, 'a', 40, passed);
  await sleep(50);
  // The burst, the rate since the start, and one chunk that may exceed the limit.
  const allowed = 1_000 + ((performance.now() - began) / 1000) * 10_000 + 100;
  expect(passed.length * 100).toBeLessThanOrEqual(allowed);
  await all;
  expect(performance.now() - began).toBeGreaterThanOrEqual(250);
});
