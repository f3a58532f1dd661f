import { cpuMs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { readChallenge, scopesIn } from '../../../src/accounts/discovery/challenge.ts';

describe('a challenge', () => {
  it.each([
    ['Bearer', { resourceMetadata: [], scopes: null }],
    [
      'bearer resource_metadata="https://a/b", scope="x y"',
      { resourceMetadata: ['https://a/b'], scopes: ['x', 'y'] },
    ],
    ['Basic realm="a, Bearer scope=\\"b\\"", Bearer scope=one', { scopes: ['one'] }],
    ['Bearer scope="a" , error = "Insufficient_scope"', { scopes: ['a'], error: 'insufficient_scope' }],
    [
      'Bearer realm="gateway", Basic scope="b", Bearer scope=one, resource_metadata=/x',
      { scopes: ['one'], resourceMetadata: ['/x'], error: null },
    ],
    ['Bearer realm="q\\"uo", resource_metadata="https://a"', { resourceMetadata: ['https://a'] }],
    ['Bearer scope="re\\ad"', { scopes: ['read'] }],
    ['Bearer scope="first", scope="second"', { scopes: ['first'] }],
    [
      'Bearer scope="mine", DPoP scope="other", resource_metadata="https://evil"',
      { scopes: ['mine'], resourceMetadata: [] },
    ],
  ])('is parsed from %s', (header, expected) => {
    expect(readChallenge(header)).toMatchObject(expected);
  });

  it.each([null, '', 'Basic realm="x"', 'DPoP algs="ES256"', '=,=,=', '"Bearer"'])(
    'is not found in %s',
    (header) => {
      expect(readChallenge(header)).toBeNull();
    },
  );

  it('is parsed in less than a second of processor time, even with a million repeated parts', () => {
    const before = cpuMs();
    for (const part of ['a="', '\\"', 'Bearer ', 'x=', ',', '"a\\']) {
      readChallenge(`Bearer ${part.repeat(1_000_000)}`);
    }
    expect(cpuMs() - before).toBeLessThan(1000);
  });

  it('has only valid scopes, and at most 100', () => {
    expect(scopesIn('a a "b" c\\d é e')).toEqual(['a', 'e']);
    const many = Array.from({ length: 1000 }, (_, index) => `s${index}`).join(' ');
    expect(scopesIn(many)).toHaveLength(100);
  });
});
