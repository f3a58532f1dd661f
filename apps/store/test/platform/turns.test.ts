import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from '../../src/platform/turns.ts';

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
  const turns = createTurns(250);
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

it('takes a piece of each account in turn, however many an account has', async () => {
  const passed: string[] = [];
  const turns = createTurns(100);
  const flood = Array.from({ length: 50 }, () => send(turns, 'flood', 4, passed));
  await nextTurn();
  const before = passed.length;
  await send(turns, 'honest', 5, passed);
  expect(passed.filter((name) => name === 'flood').length - before).toBeLessThanOrEqual(12);
  await Promise.all(flood);
  expect(passed).toHaveLength(205);
});

it('passes at once when nothing else is under way', async () => {
  const turns = createTurns(100);
  let isPassed = false;
  void turns('a', 5_000).then(() => {
    isPassed = true;
  });
  await Promise.resolve();
  expect(isPassed).toBe(true);
});
