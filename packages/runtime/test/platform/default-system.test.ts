import { expect, it } from 'vitest';
import { defaultSystem } from '../../src/platform/default-system.ts';

it('waits for as long as it is told', async () => {
  const from = defaultSystem.now();
  await defaultSystem.sleep(20);
  expect(defaultSystem.now() - from).toBeGreaterThanOrEqual(19);
});

it('ends early with the reason of the signal, before and in between', async () => {
  const reason = new Error('no more');
  await expect(defaultSystem.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const ending = new AbortController();
  const waiting = defaultSystem.sleep(60_000, ending.signal);
  ending.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('makes bytes that nobody has seen', () => {
  expect(defaultSystem.randomBytes(16)).toHaveLength(16);
  expect(defaultSystem.randomBytes(16)).not.toEqual(defaultSystem.randomBytes(16));
});
