import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { PersonCaller } from '../../../src/domain/identity/caller.ts';
import { recordFailedCode, requireUnlocked } from '../../../src/features/tokens/guess-lock.ts';
import { createRateLimitStore } from '../../../src/platform/rate-limit-store.ts';
import { openDatabase } from '../../support/database.ts';
import { startDevice, typeCode } from '../../support/device.ts';
import { openTestStore, type TestSession, type TestStore, twinOf } from '../../support/test-store.ts';

const MINUTE = 60_000;
const WRONG = 'BCDF-GHJK';

const guess = async (store: TestStore, session: TestSession, times: number) => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await typeCode(store, session, WRONG)).status);
  return statuses;
};

describe('wrong codes', () => {
  it(
    'lock the page for 15 minutes after five, also for the right code, and the page shows until when',
    BOTH_DATABASES,
    async () => {
      const store = await openTestStore();
      const anna = await store.signedIn('anna');
      const { userCode } = await startDevice(store);
      expect(await guess(store, anna, 6)).toEqual([404, 404, 404, 404, 404, 429]);
      const locked = await typeCode(store, anna, userCode);
      expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '900']);
      expect(await locked.text()).toContain('try again at 12:15:00 UTC');
      expect((await store.call('GET', '/device', { session: anna })).status).toBe(429);
      store.advance(15 * MINUTE - 1);
      expect(await guess(store, anna, 1)).toEqual([429]);
      store.advance(1);
      expect(await guess(store, anna, 1)).toEqual([404]);
    },
  );

  it('lock the page for 15 minutes from the fifth, also if the first was 14 minutes earlier', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna');
    await guess(store, anna, 1);
    store.advance(14 * MINUTE);
    expect(await guess(store, anna, 5)).toEqual([404, 404, 404, 404, 429]);
    store.advance(14 * MINUTE);
    expect(await guess(store, anna, 1)).toEqual([429]);
    store.advance(MINUTE);
    expect(await guess(store, anna, 6)).toEqual([404, 404, 404, 404, 404, 429]);
  });

  it('are all counted when fifty arrive at two processes at the same time', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const other = await twinOf(store);
    const anna = await store.signedIn('anna');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => typeCode(n % 2 ? store : other, anna, WRONG)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(404), ...Array(45).fill(429)]);
  });

  it('lock the page also for other users at the same address', async () => {
    const store = await openTestStore();
    await guess(store, await store.signedIn('anna'), 5);
    expect(await guess(store, await store.signedIn('ben'), 1)).toEqual([429]);
  });

  it('include expired codes', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna');
    const { userCode } = await startDevice(store);
    store.advance(10 * MINUTE);
    for (let n = 0; n < 5; n += 1) expect((await typeCode(store, anna, userCode)).status).toBe(404);
    expect((await typeCode(store, anna, userCode)).status).toBe(429);
  });

  it('do not include right codes', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna');
    const { userCode } = await startDevice(store);
    for (let n = 0; n < 10; n += 1) expect((await typeCode(store, anna, userCode)).status).toBe(200);
    expect(await guess(store, anna, 6)).toEqual([404, 404, 404, 404, 404, 429]);
  });
});

describe('the lock', () => {
  /** Whether a user at an address may enter codes after anna has entered five wrong ones at 2001:db8:1:2::1. */
  async function isOpen(person: string, address: string | null): Promise<boolean> {
    const rateLimits = createRateLimitStore(await openDatabase());
    const clock = () => new Date('2026-03-01T12:00:00.000Z');
    const at = (id: string, from: string | null) =>
      ({
        kind: 'person',
        person: { id },
        from: { address: from, requestId: null },
      }) as unknown as PersonCaller;
    for (let n = 0; n < 5; n += 1)
      await recordFailedCode({ rateLimits, clock }, at('anna', '2001:db8:1:2::1'));
    return requireUnlocked({ rateLimits, clock }, at(person, address)).then(
      () => true,
      () => false,
    );
  }

  it.each([
    ['anna', '2001:db8:1:2::1', false],
    ['anna', '192.0.2.1', false],
    ['anna', null, false],
    ['ben', '2001:db8:1:2::1', false],
    // The /64 network of an IPv6 address belongs to one customer.
    ['ben', '2001:db8:1:2:ffff::9', false],
    ['ben', '2001:db8:1:3::1', true],
    ['ben', '192.0.2.1', true],
    ['ben', null, true],
  ])('applies to the user and to the network: %s at %s', async (person, address, open) => {
    expect(await isOpen(person, address)).toBe(open);
  });
});
