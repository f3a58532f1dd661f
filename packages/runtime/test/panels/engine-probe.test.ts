import { describe, expect, it } from 'vitest';
import { createEngineProbe } from '../../src/panels/engine-probe.ts';

function probe() {
  let last = 0;
  return createEngineProbe(() => `name-${++last}`);
}

describe('what a browser shows of itself', () => {
  it.each<[string, ('open' | 'shut' | 'other')[], boolean]>([
    ['has sent the one name twice, and never the other', ['open', 'open'], true],
    ['has sent nothing yet', [], false],
    ['is under way', ['open'], false],
    ['has sent the other', ['open', 'shut', 'open'], false],
    ['has sent the other late', ['open', 'open', 'shut'], false],
    ['reaches neither name, for whatever reason', ['other', 'other'], false],
  ])('when it %s', (_what, names, confined) => {
    const one = probe();
    for (const name of names) one.recordRequest(name === 'other' ? 'other' : one[name]);
    expect(one.isConfined()).toBe(confined);
  });

  it('goes by names of its own alone', () => {
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
