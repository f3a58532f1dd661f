import { describe, expect, it } from 'vitest';
import { byVersionDescending, greatestOf, latestOf } from '../../../src/domain/versions/latest.ts';

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
