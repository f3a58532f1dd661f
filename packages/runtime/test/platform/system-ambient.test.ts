import { expect, it } from 'vitest';
import { systemAmbient } from '../../src/platform/system-ambient.ts';

it('waits for as long as it is told', async () => {
  const from = systemAmbient.now();
  await systemAmbient.sleep(20);
  expect(systemAmbient.now() - from).toBeGreaterThanOrEqual(19);
});

it('ends early with the reason of the signal, before and in between', async () => {
  const reason = new Error('no more');
  await expect(systemAmbient.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const ending = new AbortController();
  const waiting = systemAmbient.sleep(60_000, ending.signal);
  ending.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('makes bytes that nobody has seen', () => {
  expect(systemAmbient.randomBytes(16)).toHaveLength(16);
  expect(systemAmbient.randomBytes(16)).not.toEqual(systemAmbient.randomBytes(16));
});
