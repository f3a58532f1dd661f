import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isTokenShaped, newToken } from '../../../../src/core/domain/identity/token-format.ts';

describe('developer tokens', () => {
  it.each([
    ['device', 'svcd_'],
    ['personal', 'svcp_'],
    ['ci', 'svcc_'],
  ] as const)('of kind %s begin with %s', (kind, prefix) => {
    const token = newToken(kind, randomBytes);
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{35}$`));
    expect(isTokenShaped(token)).toBe(true);
  });

  it('have a checksum that detects typing errors without the database', () => {
    const token = newToken('ci', randomBytes);
    for (let at = 5; at < token.length; at += 1) {
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(isTokenShaped(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    for (const text of [
      '',
      'svcc_',
      `${token} `,
      `${token}x`,
      token.slice(1),
      token.replace('svcc_', 'svcx_'),
    ]) {
      expect(isTokenShaped(text)).toBe(false);
    }
  });

  it('use all characters with equal probability', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 2_000; n += 1) {
      for (const character of newToken('ci', randomBytes).slice(5, 34))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = (2_000 * 29) / 62;
    // Seven standard deviations: a fair random source fails less than once in 10^9 runs.
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
  });
});
