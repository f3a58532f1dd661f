import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSingleFlight } from '../../src/platform/single-flight.ts';

/** Work that ends when the test resolves it, not when it is aborted. */
function slowWork() {
  const started: { signal: AbortSignal; end: PromiseWithResolvers<string> }[] = [];
  const work = (signal: AbortSignal) => {
    const end = Promise.withResolvers<string>();
    started.push({ signal, end });
    return end.promise;
  };
  return { started, work };
}

describe('a single flight', () => {
  it('shares one run of the work between concurrent callers of a key, but not between keys', async () => {
    const { started, work } = slowWork();
    const flight = createSingleFlight<string>();
    const both = [flight('a', work), flight('a', work, new AbortController().signal)];
    const other = flight('b', work);
    started[0]?.end.resolve('one');
    started[1]?.end.resolve('two');
    expect(await Promise.all([...both, other])).toEqual(['one', 'one', 'two']);
    expect(started).toHaveLength(2);
  });

  it('starts again after it has ended or failed', async () => {
    const { started, work } = slowWork();
    const flight = createSingleFlight<string>();
    const first = flight('a', work);
    started[0]?.end.reject(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    const second = flight('a', work);
    started[1]?.end.resolve('done');
    expect(await second).toBe('done');
  });

  it('continues while one caller waits, even if the first caller aborts', async () => {
    const { started, work } = slowWork();
    const flight = createSingleFlight<string>();
    const [starter, joined] = [new AbortController(), new AbortController()];
    const first = flight('a', work, starter.signal);
    const second = flight('a', work, joined.signal);
    starter.abort('enough');
    await expect(first).rejects.toBe('enough');
    expect(started[0]?.signal.aborted).toBe(false);
    started[0]?.end.resolve('done');
    expect(await second).toBe('done');
  });

  it('is aborted when the last caller aborts', async () => {
    const { started, work } = slowWork();
    const flight = createSingleFlight<string>();
    const callers = [new AbortController(), new AbortController()];
    const all = callers.map(({ signal }) => flight('a', work, signal));
    for (const caller of callers) caller.abort('enough');
    await Promise.allSettled(all);
    expect(started[0]?.signal).toMatchObject({ aborted: true, reason: 'enough' });
  });

  it('that was aborted and ends late does not affect the next one', async () => {
    const { started, work } = slowWork();
    const flight = createSingleFlight<string>();
    const gone = new AbortController();
    const first = flight('a', work, gone.signal);
    gone.abort('enough');
    await expect(first).rejects.toBe('enough');
    const second = flight('a', work);
    for (const settle of ['resolve', 'reject'] as const) started[0]?.end[settle]('late');
    await setImmediate();
    const third = flight('a', work);
    expect(started).toHaveLength(2);
    started[1]?.end.resolve('done');
    expect(await Promise.all([second, third])).toEqual(['done', 'done']);
  });

  it('does not start for a caller that has aborted', async () => {
    const { started, work } = slowWork();
    await expect(createSingleFlight<string>()('a', work, AbortSignal.abort('no'))).rejects.toBe('no');
    expect(started).toHaveLength(0);
  });
});
