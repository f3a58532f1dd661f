import { describe, expect, it } from 'vitest';
import { cacheDiscovery } from '../../../src/accounts/discovery/discover.ts';
import type { Requests } from '../../../src/accounts/requests.ts';
import { json } from '../../support/fake-web.ts';
import { AS, closed, METADATA, PRM } from '../../support/sign-in.ts';

describe('what a card has discovered', () => {
  /** Discovery with a clock; `asked` counts discoveries. */
  function caching() {
    let now = 0;
    let asked = 0;
    const at = (number: number) => `https://mcp.example.com/${number}`;
    const requestsFor = (allowLoopback: boolean): Requests => ({
      allowLoopback,
      fetch: () => Promise.reject(new Error('unused')),
      server: closed(() => {
        asked += 1;
      }),
      read: async (url) =>
        url.startsWith(PRM)
          ? json({ resource: 'https://mcp.example.com/', authorization_servers: [AS] })
          : json(METADATA),
    });
    const { discover, take } = cacheDiscovery({ now: () => now });
    return {
      card: (number: number) => discover(requestsFor(false), at(number), null),
      signIn: async (number: number, allowLoopback = false) => {
        const before = asked;
        await take(requestsFor(allowLoopback), at(number), null);
        return asked > before ? 'asked' : 'kept';
      },
      pass: (ms: number) => {
        now += ms;
      },
    };
  }

  it('is for one sign-in, of the same address and with the same reach', async () => {
    const { card, signIn } = caching();
    await card(1);
    await card(2);
    expect(await signIn(3)).toBe('asked');
    expect(await signIn(1, true)).toBe('asked');
    expect(await signIn(1)).toBe('kept');
    expect(await signIn(1)).toBe('asked');
    expect(await signIn(2)).toBe('kept');
  });

  it.each([
    [0, 'kept'],
    [59_999, 'kept'],
    [60_000, 'asked'],
    [-1, 'asked'],
  ])('after %i milliseconds is %s', async (ms, expected) => {
    const { card, signIn, pass } = caching();
    await card(1);
    pass(ms);
    expect(await signIn(1)).toBe(expected);
  });

  it('is kept for a hundred servers', async () => {
    const { card, signIn } = caching();
    for (let number = 1; number <= 101; number += 1) await card(number);
    expect(await signIn(1)).toBe('asked');
    expect(await signIn(2)).toBe('kept');
    expect(await signIn(101)).toBe('kept');
  });
});
