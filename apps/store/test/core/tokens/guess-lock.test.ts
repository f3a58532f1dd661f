import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
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

  it('do not lock the page for other users at the same address', async () => {
    const store = await openTestStore();
    await guess(store, await store.signedIn('anna'), 6);
    const { userCode } = await startDevice(store);
    expect((await typeCode(store, await store.signedIn('ben'), userCode)).status).toBe(200);
  });

  it('lock the page in every session of the user', async () => {
    const store = await openTestStore();
    await guess(store, await store.signedIn('anna'), 5);
    expect(await guess(store, await store.signedIn('anna'), 1)).toEqual([429]);
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
