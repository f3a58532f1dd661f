import { describe, expect, it } from 'vitest';
import { createEngineProbe } from '../../src/panels/engine-probe.ts';

function probe() {
  let last = 0;
  return createEngineProbe(() => `name-${++last}`);
}

describe('the engine probe', () => {
  it.each<[string, ('open' | 'shut' | 'other')[], boolean]>([
    ['has requested the open name twice, and never the shut name', ['open', 'open'], true],
    ['has requested nothing yet', [], false],
    ['has requested the open name once', ['open'], false],
    ['has requested the shut name', ['open', 'shut', 'open'], false],
    ['has requested the shut name late', ['open', 'open', 'shut'], false],
    ['has requested neither name', ['other', 'other'], false],
  ])('decides whether the browser is confined when it %s', (_what, names, confined) => {
    const one = probe();
    for (const name of names) one.recordRequest(name === 'other' ? 'other' : one[name]);
    expect(one.isConfined()).toBe(confined);
  });

  it('recognizes only its own names', () => {
    const one = probe();
    expect([one.open, one.shut, 'frame', ''].map((name) => one.recordRequest(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(one.open).not.toBe(one.shut);
  });
});
