import { expect, it } from 'vitest';
import { retryWithBackoff } from '../../src/store/transfer-timeouts.ts';

/** Time that passes as fast as it is waited for. */
function fastTime() {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      now += ms;
    },
  };
}

/** A transfer that goes on until it is stopped, and counts as the test says. */
const transfer =
  (count: (progress: { bytes: number }) => void) => (signal: AbortSignal, progress: { bytes: number }) =>
    new Promise<never>((_resolve, reject) => {
      const going = setInterval(() => count(progress), 0);
      signal.addEventListener('abort', () => {
        clearInterval(going);
        reject(signal.reason);
      });
    });

it('gives up what stands still', async () => {
  const time = fastTime();
  const stuck = retryWithBackoff(
    time,
    { total: 1_000_000, idle: 10 },
    undefined,
    transfer(() => undefined),
  );
  await expect(stuck).rejects.toMatchObject({ code: 'too-slow' });
  expect(time.now()).toBe(10);
});

it('gives up what drips for ever', async () => {
  const time = fastTime();
  const sleep: typeof time.sleep = async (ms, signal) => {
    await time.sleep(ms, signal);
    progress.bytes += 1;
  };
  let progress = { bytes: 0 };
  const dripping = retryWithBackoff(
    { ...time, sleep },
    { total: 100, idle: 10 },
    undefined,
    (signal, own) => {
      progress = own;
      return transfer(() => undefined)(signal, own);
    },
  );
  await expect(dripping).rejects.toMatchObject({ code: 'too-slow' });
  expect(time.now()).toBe(100);
});

it('gives what arrived in time, and passes on what failed by itself', async () => {
  const timeouts = { total: 10, idle: 10 };
  expect(await retryWithBackoff(fastTime(), timeouts, undefined, async () => 'here')).toBe('here');
  const failing = retryWithBackoff(fastTime(), timeouts, undefined, () =>
    Promise.reject(new Error('broken')),
  );
  await expect(failing).rejects.toThrow('broken');
});
