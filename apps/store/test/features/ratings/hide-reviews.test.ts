import { expect, it } from 'vitest';
import { openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { twinOf } from '../../support/test-store.ts';

it('the reviews of a suspended user are hidden and left out of the average until the suspension ends', async () => {
  const store = await openRatedStore();
  await store.rated('anna', 1);
  await store.rated('ben', 5);
  const change = (suspended: boolean) => store.admin('PATCH', '/api/admin/people/anna', { suspended });
  await change(true);
  await change(true);
  expect(await store.reviews()).toMatchObject({
    rating: { average: 5, count: 1 },
    reviews: [{ author: { name: 'ben' } }],
  });
  expect((await store.listing()).rating).toEqual({ average: 5, count: 1 });
  await change(false);
  expect((await store.listing()).rating).toEqual({ average: 3, count: 2 });
});

it('a review that a moderator hid stays hidden when the suspension of its author ends', async () => {
  const store = await openRatedStore();
  const id = await store.rated('anna', 1);
  await store.admin('POST', `/api/moderation/reviews/${id}/hide`, { note: 'Spam.' });
  for (const suspended of [true, false]) {
    const changed = await store.admin('PATCH', '/api/admin/people/anna', { suspended });
    expect(changed.status).toBe(200);
    expect((await store.listing()).rating).toEqual({ average: 0, count: 0 });
  }
});

it('a review is hidden if its author writes it at the moment of the suspension', async () => {
  const store = await openRatedStore();
  const twin = await twinOf(store);
  await store.rated('anna', 3);
  const session = await store.signedIn('anna');
  const write = (rating: number) => twin.call('PUT', `${REVIEWS}/mine`, { session, json: { rating } });
  await Promise.all([
    write(1),
    store.admin('PATCH', '/api/admin/people/anna', { suspended: true }),
    write(5),
  ]);
  expect(await store.reviews()).toMatchObject({ rating: { count: 0 }, reviews: [] });
  expect((await store.listing()).rating).toEqual({ average: 0, count: 0 });
});
