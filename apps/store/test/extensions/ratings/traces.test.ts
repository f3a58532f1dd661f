import { BOTH_DATABASES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { ratingQueries } from '../../../src/extensions/ratings/extension.ts';
import { createTraces } from '../../../src/extensions/ratings/traces.ts';
import { APP, openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const DAY = 24 * 3_600_000;
const ME = '/api/people/me';

/** A store with reviews of an app by anna and ben; anna has flagged the one by ben. */
async function opened() {
  const store = await openRatedStore();
  await store.rated('anna', 2, { title: 'Unforgettable title', body: 'Unforgettable body' });
  const flagged = await store.rated('ben', 4);
  const flag = { reason: 'spam', note: 'Unforgettable note' };
  expect((await store.as('anna', 'POST', `${REVIEWS}/${flagged}/flag`, flag)).status).toBe(200);
  return { store, flagged };
}

const textsIn = async ({ stores: { db } }: TestStore): Promise<string> =>
  JSON.stringify([
    await db.selectFrom('ratings').selectAll().execute(),
    await db.selectFrom('rating_flags').selectAll().execute(),
  ]);

// What was written before the operator switched the extension off is still there.
it.each([
  ['a store', {}],
  ['a store that runs without reviews now', { SVC_WITHOUT: 'ratings' }],
])(
  '%s exports the reviews and flags of a user, and deletes them with the account',
  BOTH_DATABASES,
  async (_, environment) => {
    const { store: before, flagged } = await opened();
    const { folder } = before;
    await before.close();
    const store = await openTestStore({ folder, environment });
    const session = await store.signedIn('anna');
    await store.prove(session);
    const data = await bodyOf(store.call('GET', `${ME}/export`, { session }));
    expect(data.reviews).toMatchObject([{ app_id: APP, stars: 2, title: 'Unforgettable title' }]);
    expect(data.flags).toMatchObject([{ rating_id: flagged, note: 'Unforgettable note' }]);
    expect(await textsIn(store)).toContain('Unforgettable');
    expect((await store.call('DELETE', ME, { session })).status).toBe(200);
    expect(await textsIn(store)).not.toContain('Unforgettable');
    expect((await bodyOf(store.call('GET', `/api/apps/${APP}`))).rating).toEqual({ average: 4, count: 1 });
  },
);

it('a hidden review of a deleted account stays hidden without its text', async () => {
  const { store } = await opened();
  const { ratings } = ratingQueries(store.stores.db);
  const { id } = (await ratings.of('anna', APP)) ?? { id: '' };
  await store.admin('POST', `/api/moderation/reviews/${id}/hide`, { note: 'Why.' });
  await store.prove(await store.signedIn('anna'));
  expect((await store.as('anna', 'DELETE', ME)).status).toBe(200);
  expect(await ratings.find(id)).toMatchObject({ hidden: true, removed: true, title: '', body: '' });
});

it('an app that was rated counts as used', async () => {
  const { store } = await opened();
  const { usedApp } = createTraces(store.stores.db);
  expect(await usedApp(store.stores, APP)).toBe(true);
  expect(await usedApp(store.stores, 'com.example.other')).toBe(false);
});

it(
  'deleted reviews that were hidden and decided flags are purged, and no others',
  BOTH_DATABASES,
  async () => {
    const { store, flagged } = await opened();
    const { ratings, flags } = ratingQueries(store.stores.db);
    const now = store.clock();
    const ago = (days: number, ms: number) => new Date(now.getTime() - days * DAY + ms).toISOString();
    const { purgeExpired } = createTraces(store.stores.db);
    const { id } = (await ratings.of('anna', APP)) ?? { id: '' };
    await ratings.blank(id, ago(365, 0));
    await flags.decide(flagged, ago(90, 0));
    await purgeExpired(now);
    expect(await ratings.find(id)).toMatchObject({ removed: true });
    expect(await flags.decidedAt(flagged, 'anna')).toBe(ago(90, 0));
    await purgeExpired(new Date(now.getTime() + 1));
    expect(await ratings.find(id)).toBeNull();
    expect(await ratings.find(flagged)).not.toBeNull();
    expect(await flags.decidedAt(flagged, 'anna')).toBeUndefined();
  },
);
