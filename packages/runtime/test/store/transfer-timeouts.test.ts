import { expect, it } from 'vitest';
import { retryWithBackoff } from '../../src/store/transfer-timeouts.ts';

/** A clock that each sleep advances at once. */
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

/** A transfer that continues until it is aborted, and counts its bytes as the test defines. */
const transfer =
  (count: (progress: { bytes: number }) => void) => (signal: AbortSignal, progress: { bytes: number }) =>
    new Promise<never>((_resolve, reject) => {
      const going = setInterval(() => count(progress), 0);
      signal.addEventListener('abort', () => {
        clearInterval(going);
        reject(signal.reason);
      });
    });

it('aborts a transfer without progress', async () => {
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

it('aborts a transfer that exceeds its total time', async () => {
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

it('returns the result of a transfer in time, and passes on an error of the transfer', async () => {
  const timeouts = { total: 10, idle: 10 };
  expect(await retryWithBackoff(fastTime(), timeouts, undefined, async () => 'here')).toBe('here');
  const failing = retryWithBackoff(fastTime(), timeouts, undefined, () =>
    Promise.reject(new Error('broken')),
  );
  await expect(failing).rejects.toThrow('broken');
});
