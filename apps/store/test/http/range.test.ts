import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesIfRange, readRange } from '../../src/http/range.ts';

describe('a range of 10 bytes', () => {
  it.each([
    ['bytes=0-0', { offset: 0, length: 1 }],
    ['bytes=2-4', { offset: 2, length: 3 }],
    ['bytes=2-', { offset: 2, length: 8 }],
    ['bytes=0-', { offset: 0, length: 10 }],
    ['bytes=9-9', { offset: 9, length: 1 }],
    ['bytes=5-99999', { offset: 5, length: 5 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-99', { offset: 0, length: 10 }],
    ['BYTES= 2-4 ', { offset: 2, length: 3 }],
  ])('is partial: %s', (header, part) => {
    expect(readRange(header, 10)).toEqual(part);
  });

  it.each(['bytes=10-', 'bytes=10-10', 'bytes=999999999999999-', 'bytes=-0'])(
    'is unsatisfiable: %s',
    (header) => {
      expect(readRange(header, 10)).toBe('unsatisfiable');
    },
  );

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1-2-3',
    'bytes=--3',
    'bytes=1.5-2',
    'bytes=0-1,4-5',
    'bytes=0-0,0-0,0-0,0-0',
    'bytes 0-1',
    'items=0-1',
    `bytes=0-${'9'.repeat(400)}`,
    'bytes=1-٣',
  ])('is ignored, so that all bytes are sent: %s', (header) => {
    expect(readRange(header, 10)).toBe('whole');
  });

  it('never exceeds the size', () => {
    const header = fc.oneof(
      fc.tuple(fc.nat(), fc.option(fc.nat())).map(([a, b]) => `bytes=${a}-${b ?? ''}`),
      fc.nat().map((count) => `bytes=-${count}`),
      fc.stringMatching(/^bytes=[0-9, -]*$/),
    );
    fc.assert(
      fc.property(header, fc.nat(100), (range, size) => {
        const part = readRange(range, size);
        if (typeof part === 'string') return;
        expect(part.offset).toBeGreaterThanOrEqual(0);
        expect(part.length).toBeGreaterThan(0);
        expect(part.offset + part.length).toBeLessThanOrEqual(size);
      }),
    );
  });
});

describe('If-Range', () => {
  it('matches only the same strong ETag', () => {
    expect([undefined, '"a"', ' "a" '].map((tag) => matchesIfRange(tag, '"a"'))).toEqual([true, true, true]);
    const others = ['"b"', 'W/"a"', 'a', '', '"a", "b"', 'Sun, 01 Mar 2026 12:00:00 GMT'];
    expect(others.filter((tag) => matchesIfRange(tag, '"a"'))).toEqual([]);
  });
});
