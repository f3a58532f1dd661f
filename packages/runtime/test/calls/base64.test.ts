import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../src/calls/base64.ts';
import { refused } from '../support/refused.ts';

describe('base64 of a server', () => {
  it.each([
    ['in one line', 'aGVsbG8gd29ybGQ='],
    ['in lines of MIME', 'aGVs\r\nbG8gd29y\r\nbGQ=\r\n'],
    ['indented', '\n  aGVsbG8g\n\td29ybGQ=\n'],
  ])('is decoded %s', (_, data) => expect(decodeBase64(data, 11).toString()).toBe('hello world'));

  it.each(['aGVs*G8=', 'data:text/plain;base64,aGVsbG8=', 'aGVsbG8===', 'aGVsbG8\u00a0='])(
    'is refused when it is none: %j',
    (data) => expect(() => decodeBase64(data, 100)).toThrow(refused('server-failed')),
  );

  it('is refused by its size, however it is wrapped', () => {
    expect(() => decodeBase64('AAAA'.repeat(5), 12)).toThrow(refused('too-large'));
    expect(decodeBase64('AAAA\n'.repeat(4), 12)).toHaveLength(12);
  });
});
