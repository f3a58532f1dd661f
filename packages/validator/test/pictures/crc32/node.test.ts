import { expect, it } from 'vitest';
import { crc32 as inBrowsers } from '../../../src/pictures/crc32/browser.ts';
import { crc32 } from '../../../src/pictures/crc32/node.ts';

it('returns the same value as the browser version, for several ranges of bytes', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, n) => (n * 37) & 0xff);
  for (const [start, end] of [
    [0, 0],
    [0, 300],
    [3, 8],
    [255, 299],
  ] as const) {
    expect(crc32(bytes, start, end)).toBe(inBrowsers(bytes, start, end));
  }
});
