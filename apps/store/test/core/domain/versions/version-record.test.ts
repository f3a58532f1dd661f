import { compareVersions } from '@svc/contracts';
import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import {
  byVersionDescending,
  greatestOf,
  latestOf,
} from '../../../../src/core/domain/versions/version-record.ts';

const versions = (...numbers: string[]) => numbers.map((version) => ({ version }));

describe('latestOf', () => {
  it.each([
    [['1.0.0', '1.10.0', '1.9.0'], '1.10.0'],
    [['1.0.0', '2.0.0-rc.1'], '1.0.0'],
    [['2.0.0-rc.1', '2.0.0-rc.2'], '2.0.0-rc.2'],
  ])('of %j is %s', (numbers, latest) => {
    expect(latestOf(versions(...numbers))?.version).toBe(latest);
  });

  it('of no versions is null', () => {
    expect(latestOf([])).toBeNull();
  });
});

describe('the order of versions', () => {
  it('is the same for any order of the input', () => {
    const sorted = versions('1.0.0+b', '1.0.0+a', '1.0.0-rc.1');
    expect([...sorted].reverse().sort(byVersionDescending)).toEqual([...sorted].sort(byVersionDescending));
  });

  it('includes pre-releases for the greatest of all uploads', () => {
    expect(greatestOf(['1.0.0', '2.0.0-rc.1'])).toBe('2.0.0-rc.1');
    expect(greatestOf([])).toBeNull();
  });
});

const identifier = fc.oneof(
  fc.nat(12).map(String),
  fc.constantFrom('a', 'b', 'alpha', 'rc', 'a-1', '0a', 'A'),
);
const version = fc
  .record({
    core: fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12)),
    pre: fc.array(identifier, { maxLength: 3 }),
    build: fc.constantFrom('', '+1', '+a-b.c'),
  })
  .map(({ core, pre, build }) => `${core.join('.')}${pre.length > 0 ? `-${pre.join('.')}` : ''}${build}`);

it('versions are compared as by the package semver, where that is exact', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(Math.sign(compareVersions(a, b))).toBe(semver.compare(a, b));
    }),
  );
});
