import { expect, it } from 'vitest';
import { defaultSystem } from '../../src/platform/default-system.ts';

it('sleeps for the given time', async () => {
  const from = defaultSystem.now();
  await defaultSystem.sleep(20);
  expect(defaultSystem.now() - from).toBeGreaterThanOrEqual(19);
});

it('stops sleeping with the reason of the signal, before and during the sleep', async () => {
  const reason = new Error('no more');
  await expect(defaultSystem.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const ending = new AbortController();
  const waiting = defaultSystem.sleep(60_000, ending.signal);
  ending.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('returns other random bytes each time', () => {
  expect(defaultSystem.randomBytes(16)).toHaveLength(16);
  expect(defaultSystem.randomBytes(16)).not.toEqual(defaultSystem.randomBytes(16));
});
