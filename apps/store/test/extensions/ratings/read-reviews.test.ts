import { expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { APP, openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const names = ['anna', 'ben', 'carl', 'dora', 'emil'];

it('the reviews of an app are listed newest first, with average and histogram', async () => {
  const store = await openRatedStore();
  for (const [n, name] of names.entries()) {
    await store.rated(name, [5, 5, 4, 1, 5][n], { title: `By ${name}` });
    store.advance(1_000);
  }
  const { rating, reviews, nextCursor } = await store.reviews();
  expect(rating).toEqual({ average: 4, count: 5, histogram: { 1: 1, 2: 0, 3: 0, 4: 1, 5: 3 } });
  expect(reviews.map(({ title }: { title: string }) => title)).toEqual(
    names.toReversed().map((name) => `By ${name}`),
  );
  expect(reviews[0]).toEqual({
    id: reviews[0].id,
    author: { name: 'emil' },
    rating: 5,
    title: 'By emil',
    body: '',
    version: '1.0.0',
    createdAt: '2026-03-01T12:00:04.000Z',
    updatedAt: '2026-03-01T12:00:04.000Z',
  });
  expect(nextCursor).toBeNull();
});

it('pages contain each review once, also if reviews are written or edited between pages or have the same time', async () => {
  const store = await openRatedStore();
  for (const name of names) await store.rated(name);
  const seen: string[] = [];
  let query = '?limit=2';
  for (let n = 0; ; n += 1) {
    const answer = await store.call('GET', REVIEWS + query);
    const { reviews, nextCursor } = await bodyOf(answer);
    seen.push(...reviews.map(({ author }: { author: { name: string } }) => author.name));
    if (nextCursor === null) break;
    expect(answer.headers.get('Link')).toBe(
      `<https://store.test${REVIEWS}?limit=2&cursor=${nextCursor}>; rel="next"`,
    );
    query = `?limit=2&cursor=${nextCursor}`;
    store.advance(1_000);
    await store.rated(`late-${n}`);
    await store.as('anna', 'PUT', `${REVIEWS}/mine`, { rating: 1 });
  }
  expect(seen.sort()).toEqual(names);
});

it('reviews are listed by their stars, the newest first among equal ones, on pages and on the page of the app', async () => {
  const store = await openRatedStore();
  for (const [n, name] of names.entries()) {
    await store.rated(name, [5, 1, 4, 1, 5][n], { title: `By ${name}` });
    store.advance(1_000);
  }
  const orders = {
    newest: ['emil', 'dora', 'carl', 'ben', 'anna'],
    highest: ['emil', 'anna', 'carl', 'dora', 'ben'],
    lowest: ['dora', 'ben', 'carl', 'emil', 'anna'],
  };
  for (const [sort, expected] of Object.entries(orders)) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await store.reviews(`?limit=2&sort=${sort}${cursor}`);
      seen.push(...page.reviews.map(({ author }: { author: { name: string } }) => author.name));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen, sort).toEqual(expected);
    if (!has('storefront')) continue;
    const html = await (await store.call('GET', `/apps/${APP}?sort=${sort}`)).text();
    expect(
      [...html.matchAll(/<strong>By (\w+)</g)].map(([, name]) => name),
      sort,
    ).toEqual(expected);
    expect(html).toContain(`?sort=${sort}#reviews" aria-current="true"`);
  }
  const { nextCursor } = await store.reviews('?limit=2&sort=lowest');
  for (const query of [`?cursor=${nextCursor}`, '?sort=best'])
    expect(await store.reviews(query), query).toMatchObject({ code: 'invalid_request' });
});

it('reviews can be read from any origin, and the response is 304 if nothing has changed', async () => {
  const store = await openRatedStore();
  const first = await store.call('GET', REVIEWS);
  const etag = String(first.headers.get('etag'));
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect(first.headers.get('cache-control')).toBe('public, max-age=30');
  expect((await store.call('GET', REVIEWS, { headers: { 'if-none-match': etag } })).status).toBe(304);
  await store.rated('anna');
  expect((await store.call('GET', REVIEWS, { headers: { 'if-none-match': etag } })).status).toBe(200);
});

it('rejects an invalid cursor or limit, and answers 404 for an app that is not public', async () => {
  const store = await openRatedStore();
  for (const query of ['?cursor=x', '?limit=0', '?limit=101', `?cursor=${btoa('["2026","a"]')}`]) {
    expect(await store.reviews(query), query).toMatchObject({ code: 'invalid_request' });
  }
  await store.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true });
  expect(await store.reviews()).toMatchObject({ code: 'not_found' });
});

it('the name of an author is shown without bidirectional and invisible characters', async () => {
  const store = await openRatedStore();
  await store.rated('anna');
  const change = { name: 'Anna\u202E\u200B annA' };
  expect((await store.as('anna', 'PATCH', '/api/people/me', change)).status).toBe(400);
  // An earlier version of the store accepted such a name.
  await store.stores.people.change('anna', change);
  expect((await store.reviews()).reviews[0].author).toEqual({ name: 'Anna annA' });
});

it('one review is read by its id, while it is public', async () => {
  const store = await openRatedStore();
  const id = await store.rated('anna', 4, { title: 'By anna' });
  await store.rated('ben');
  const one = async (path = REVIEWS) => (await bodyOf(store.call('GET', `${path}?id=${id}`))).reviews;
  expect(await one()).toMatchObject([{ id, title: 'By anna' }]);
  const token = await store.publisherToken();
  await store.publish(token, { id: 'com.example.other', name: 'Another app' });
  await store.admin('POST', '/api/moderation/apps/com.example.other/versions/1.0.0/approve', {});
  expect(await one('/api/apps/com.example.other/reviews')).toEqual([]);
  await store.admin('POST', `/api/moderation/reviews/${id}/hide`, { note: 'Spam.' });
  expect(await one()).toEqual([]);
});
