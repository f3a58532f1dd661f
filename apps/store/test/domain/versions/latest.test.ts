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

  it('of none is null', () => {
    expect(latestOf([])).toBeNull();
  });
});

describe('order', () => {
  it('is newest first, and the same whatever order it came in', () => {
    const sorted = versions('1.0.0+b', '1.0.0+a', '1.0.0-rc.1');
    expect([...sorted].reverse().sort(byVersionDescending)).toEqual([...sorted].sort(byVersionDescending));
  });

  it('counts pre-releases among all uploads', () => {
    expect(greatestOf(['1.0.0', '2.0.0-rc.1'])).toBe('2.0.0-rc.1');
    expect(greatestOf([])).toBeNull();
  });
});
