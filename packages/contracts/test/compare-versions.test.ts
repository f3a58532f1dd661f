import { expect, it } from 'vitest';
import { compareVersions, isPreRelease } from '../src/compare-versions.ts';

it('orders the example of the specification', () => {
  // Semantic Versioning 2.0.0 section 11.4, after which a release follows its pre-releases.
  const sorted = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1'].map(
    (id) => `1.0.0-${id}`,
  );
  const all = ['0.9.0', ...sorted, '1.0.0', '1.0.1-0', '1.2.0', '1.10.0', '2.0.0'];
  expect(all.toReversed().toSorted(compareVersions)).toEqual(all);
});

it('compares numbers that JavaScript cannot', () => {
  expect(compareVersions('1.2.0-9007199254740993', '1.2.0-9007199254740992')).toBe(1);
  expect(compareVersions('1.2.0-a.20260101120000000001', '1.2.0-a.20260101120000000002')).toBe(-1);
  expect(compareVersions('1.2.0-99999999999999999999', '1.2.0-100000000000000000000')).toBe(-1);
  expect(compareVersions('1.2.0-9007199254740993+a', '1.2.0-9007199254740993+b')).toBe(0);
});

it('knows pre-releases', () => {
  expect(['1.0.0-a', '1.0.0-a-b+c', '1.0.0-0'].map(isPreRelease)).toEqual([true, true, true]);
  expect(['1.0.0', '1.0.0+a-b'].map(isPreRelease)).toEqual([false, false]);
});
