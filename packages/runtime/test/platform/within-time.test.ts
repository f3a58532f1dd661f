import { describe, expect, it } from 'vitest';
import { withinTime } from '../../src/platform/within-time.ts';
import { realSystem } from '../support/real-system.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('an error of its own')));
  });

const never = AbortSignal.any([]);

describe('a time limit', () => {
  it('aborts work that takes too long, with the code too-slow', async () => {
    await expect(withinTime(realSystem, 5, never, untilAborted)).rejects.toMatchObject({ code: 'too-slow' });
  });

  it('returns the result of work that ends in time, and keeps no timer', async () => {
    const ended: unknown[] = [];
    const sleep = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          ended.push(signal);
          reject(signal.reason);
        });
      });
    expect(await withinTime({ sleep }, 60_000, never, async () => 'done')).toBe('done');
    const failing = withinTime({ sleep }, 60_000, never, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(ended).toHaveLength(2);
  });

  it('aborts work when its caller aborts', async () => {
    const caller = new AbortController();
    const work = withinTime(realSystem, 60_000, caller.signal, untilAborted);
    caller.abort('enough');
    await expect(work).rejects.toThrow('an error of its own');
  });
});
