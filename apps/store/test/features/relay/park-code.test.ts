import { randomBytes } from 'node:crypto';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { MAX_ENTRIES } from '../../../src/features/relay/capacity.ts';
import { parkCode } from '../../../src/features/relay/park-code.ts';
import type { RelayStore } from '../../../src/features/relay/relay-store.ts';

/** A relay in memory that counts like the database, which would be too slow for a million entries. */
function countingRelay() {
  const byNetwork = new Map<string, number>();
  let all = 0;
  const relay: Pick<RelayStore, 'park' | 'countIn' | 'purgeExpired'> = {
    async park({ network }) {
      all += 1;
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
    },
    countIn: async (network) => ({ all, here: byNetwork.get(network) ?? 0 }),
    purgeExpired: async () => {},
  };
  const deps = {
    relay,
    unitOfWork: <T>(work: (stores: { relay: typeof relay }) => Promise<T>) => work({ relay }),
    clock: () => new Date('2026-03-01T12:00:00.000Z'),
    random: randomBytes,
  };
  const park = (address: string) =>
    parkCode(deps, { state: 'a'.repeat(22), code: 'c' }, { address, ticket: 't' });
  return { park, count: () => all };
}

const refused = (work: Promise<void>) =>
  work.then(
    () => false,
    () => true,
  );

describe('a flood', () => {
  it('from one address gets 200 entries, and does not affect other addresses', async () => {
    const { park, count } = countingRelay();
    let refusals = 0;
    for (let n = 0; n < 10_000; n += 1) if (await refused(park('192.0.2.1'))) refusals += 1;
    expect([count(), refusals]).toEqual([200, 9_800]);
    await expect(park('192.0.2.1')).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfter: 60 },
    });
    await park('198.51.100.7');
  });

  it('from a /48 network of IPv6 counts as one address', async () => {
    const { park, count } = countingRelay();
    for (let n = 0; n < 1_000; n += 1) await refused(park(`2001:db8:7:${n.toString(16)}::1`));
    expect(count()).toBe(200);
    await park('2001:db8:8::1');
  });

  it('of 200,000 states from 500 addresses leaves room for others', DEEP, async () => {
    const { park, count } = countingRelay();
    for (let n = 0; n < 200_000; n += 1) await refused(park(`10.0.${n % 4}.${n % 250}`));
    expect(count()).toBeLessThan(MAX_ENTRIES);
    await park('198.51.100.7');
  });

  it('that fills the relay makes it answer Unavailable with retryAfter', DEEP, async () => {
    const { park, count } = countingRelay();
    for (let n = 0; count() < MAX_ENTRIES; n += 1) {
      await park(`${n % 223}.${(n >> 8) % 256}.${(n >> 16) % 256}.${n % 251}`).catch(() => {});
    }
    await expect(park('203.0.113.77')).rejects.toMatchObject({ name: 'Unavailable', retryAfter: 30 });
  });
});
