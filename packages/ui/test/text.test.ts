import { expect, it } from 'vitest';
import { count, sizeText } from '../src/text.ts';

it('counts', () => expect([count(1, 'file'), count(2, 'file')]).toEqual(['1 file', '2 files']));

it.each([
  [1, '1 byte'],
  [1_023, '1023 bytes'],
  [1_024, '1.0 KiB'],
  [5 * 1024 * 1024, '5.0 MiB'],
])('formats %i bytes as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
