import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from '../../src/platform/turns.ts';

/** As much a second as any turn may pass. */
const FAST = { perTurn: 100, perSecond: 2 ** 40, burst: 2 ** 40 };

/** Sends pieces one after the other, as a body does, and notes each that passed. */
async function send(
  turns: ReturnType<typeof createTurns>,
  account: string,
  pieces: number,
  passed: string[],
) {
  for (let n = 0; n < pieces; n += 1) {
    await turns(account, 100);
    passed.push(account);
  }
}

it('lets so many bytes pass in a turn of the event loop, and no more', async () => {
  const passed: string[] = [];
  const turns = createTurns({ ...FAST, perTurn: 250 });
  const senders = Array.from({ length: 10 }, () => send(turns, 'a', 2, passed));
  let elapsed = 0;
  while (passed.length < 20) {
    await nextTurn();
    elapsed += 1;
  }
  await Promise.all(senders);
  // Three pieces a turn, as the last may go beyond the bound; without it, two turns would do.
  expect(elapsed).toBeGreaterThanOrEqual(6);
});

it('lets those go first that have sent the least lately, however many pieces others have waiting', async () => {
  const passed: string[] = [];
  const turns = createTurns(FAST);
  const flood = Array.from({ length: 10 }, (_, n) => send(turns, `flood ${n}`, 20, passed));
  while (passed.length < 100) await nextTurn();
  const before = passed.length;
  await send(turns, 'honest', 5, passed);
  expect(passed.filter((name) => name !== 'honest').length - before).toBeLessThanOrEqual(6);
  await Promise.all(flood);
  expect(passed).toHaveLength(205);
});

it('passes at once when nothing else is under way', async () => {
  const turns = createTurns(FAST);
  let isPassed = false;
  void turns('a', 5_000).then(() => {
    isPassed = true;
  });
  await Promise.resolve();
  expect(isPassed).toBe(true);
});

it('shares a second among accounts that all send without end', async () => {
  const passed: string[] = [];
  const turns = createTurns(FAST);
  const names = ['a', 'b', 'c'];
  await Promise.all(names.map((name) => send(turns, name, 300, passed)));
  const half = passed.slice(0, 450);
  for (const name of names) {
    expect(half.filter((one) => one === name).length).toBeGreaterThan(100);
  }
});

it('lets no more than so many bytes pass in a second, however many turns there are', async () => {
  const passed: string[] = [];
  const turns = createTurns({ perTurn: 1_000, perSecond: 10_000, burst: 1_000 });
  const began = performance.now();
  const all = send(turns, 'a', 40, passed);
  await sleep(50);
  // The burst, what came in since, and one piece that may go below nothing.
  const allowed = 1_000 + ((performance.now() - began) / 1000) * 10_000 + 100;
  expect(passed.length * 100).toBeLessThanOrEqual(allowed);
  await all;
  expect(performance.now() - began).toBeGreaterThanOrEqual(250);
});
