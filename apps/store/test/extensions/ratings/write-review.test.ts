import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { ratingQueries } from '../../../src/extensions/ratings/extension.ts';
import { contentsOf } from '../../support/database.ts';
import { APP, installOf, openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf, twinOf } from '../../support/test-store.ts';

const MINE = `${REVIEWS}/mine`;
const forbidden = { httpStatus: 403, code: 'forbidden' };

describe('a review', () => {
  it('can be written, edited and deleted by a user who has installed the app', BOTH_DATABASES, async () => {
    const store = await openRatedStore();
    await store.install('anna');
    const title = 'Good';
    const written = await bodyOf(store.rate('anna', 4, { title, body: 'It keeps\r\nmy notes.  ' }));
    expect(written).toMatchObject({
      installed: true,
      review: { rating: 4, title, body: 'It keeps\nmy notes.', version: '1.0.0', hidden: false },
    });
    store.advance(1_000);
    await store.publishVersion('1.1.0');
    await store.install('anna', '1.1.0');
    await store.writeInstalls();
    // An edit does not need the id of an installation.
    const edited = await bodyOf(store.as('anna', 'PUT', MINE, { rating: 2, title: 'Worse' }));
    const at = '2026-03-01T12:00:00.000Z';
    const later = '2026-03-01T12:00:01.000Z';
    expect(edited.review).toEqual({
      ...written.review,
      ...{ rating: 2, title: 'Worse', body: '', version: '1.1.0', createdAt: at, updatedAt: later },
    });
    expect(await bodyOf(store.as('anna', 'GET', MINE))).toMatchObject({ review: edited.review });
    expect((await store.listing()).rating).toEqual({ average: 2, count: 1 });
    expect(await bodyOf(store.as('anna', 'DELETE', MINE))).toMatchObject({ review: null });
    expect(await bodyOf(store.as('anna', 'GET', MINE))).toMatchObject({ review: null, installed: true });
    expect((await store.listing()).rating).toEqual({ average: 0, count: 0 });
    expect(await bodyOf(store.as('anna', 'DELETE', MINE))).toMatchObject({ code: 'not_found' });
  });

  it('can name the installation in the header x-svc-install-id', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    const session = await store.signedIn('anna');
    const put = (id: string) =>
      store.call('PUT', MINE, { session, json: { rating: 5 }, headers: { 'x-svc-install-id': id } });
    expect(await bodyOf(put('not an id'))).toMatchObject(forbidden);
    expect((await put(installOf('anna'))).status).toBe(200);
  });

  it('is refused to a user who has installed only another app', async () => {
    const store = await openRatedStore();
    await store.publishVersion('1.0.0', 'com.example.other');
    await store.install('anna', '1.0.0', 'com.example.other');
    expect(await bodyOf(store.rate('anna', 1))).toMatchObject(forbidden);
    expect(await bodyOf(store.as('anna', 'PUT', MINE, { rating: 1 }))).toMatchObject(forbidden);
    expect(await store.reviews()).toMatchObject({ rating: { count: 0 }, reviews: [] });
  });

  it('is limited to one user per installation, also after its deletion', async () => {
    const store = await openRatedStore();
    await store.rated('anna', 5);
    const borrowed = { installId: installOf('anna') };
    expect(await bodyOf(store.rate('ben', 5, borrowed))).toMatchObject(forbidden);
    await store.as('anna', 'DELETE', MINE);
    expect(await bodyOf(store.rate('ben', 5, borrowed))).toMatchObject(forbidden);
    expect((await store.listing()).rating.count).toBe(0);
  });

  it('is refused to members of the publisher and to suspended users', async () => {
    const store = await openRatedStore();
    await store.install('olga');
    expect(await bodyOf(store.rate('olga', 5))).toMatchObject(forbidden);
    await store.install('anna');
    await store.as('anna', 'GET', MINE);
    await store.stores.people.change('anna', { suspended: true });
    expect((await store.rate('anna', 5)).status).toBe(401);
  });

  it('cannot be written for an app that is not public, but can always be deleted by its author', async () => {
    const store = await openRatedStore();
    await store.rated('anna', 5);
    await store.publish(store.token, { id: 'com.example.waiting', name: 'Waiting' });
    const waiting = '/api/apps/com.example.waiting/reviews/mine';
    const put = store.as('anna', 'PUT', waiting, { rating: 1, installId: installOf('anna') });
    expect(await bodyOf(put)).toMatchObject({ code: 'not_found' });
    expect(await bodyOf(store.as('anna', 'GET', waiting))).toMatchObject({ code: 'not_found' });
    await store.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true });
    expect(await bodyOf(store.rate('anna', 1))).toMatchObject({ code: 'not_found' });
    expect(await bodyOf(store.as('anna', 'GET', MINE))).toMatchObject({ review: { rating: 5 } });
    expect((await store.as('anna', 'DELETE', MINE)).status).toBe(200);
  });

  it('is refused with bidirectional or control characters, an invalid rating, or an unknown field', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    for (const more of [{ title: 'exe.\u202Egpj' }, { body: 'a\0b' }, { rating: 6 }, { verified: true }]) {
      expect((await store.rate('anna', 4, more)).status).toBe(400);
    }
    expect(await store.reviews()).toMatchObject({ reviews: [] });
  });

  it('can be written 30 times per hour by a user', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    const first = await store.rate('anna', 5);
    expect(first.headers.get('RateLimit')).toBe('"reviews";r=29;t=3600');
    for (let n = 1; n < 30; n += 1) await store.rate('anna', 1 + (n % 5));
    const refused = await store.rate('anna', 1);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '3600']);
  });

  it('leaves no text when it is deleted', async () => {
    const store = await openRatedStore();
    await store.rated('anna', 1, { title: 'Unforgettable title', body: 'Unforgettable body' });
    await store.as('anna', 'DELETE', MINE);
    const held = await ratingQueries(store.stores.db).ratings.of('anna', APP);
    expect(held).toBeNull();
    const audit = await store.admin('GET', `/api/admin/audit?appId=${APP}`);
    const log = await audit.text();
    expect(log).toContain('rating.remove');
    expect(log).not.toContain('Unforgettable');
  });
});

describe('reviews of throwaway accounts', () => {
  const CROWD = Array.from({ length: 20 }, (_, at) => `new-${at}`);

  it('wait for a moderator from the twenty-first of a day on, also when they come at once', async () => {
    const store = await openRatedStore();
    for (const name of CROWD) await store.rated(name, 5);
    expect((await store.listing()).rating.count).toBe(20);
    const late = ['late-1', 'late-2', 'late-3'];
    for (const name of late) await store.install(name);
    await store.writeInstalls();
    const answers = await Promise.all(late.map((name) => bodyOf(store.rate(name, 5, { title: name }))));
    for (const { review } of answers) expect(review).toMatchObject({ hidden: true, note: '' });
    expect((await store.listing()).rating.count).toBe(20);
    const waiting = await ratingQueries(store.stores.db).ratings.waiting(null, 10);
    expect(waiting.map(({ title }) => title).sort()).toEqual(late);
    // A moderator shows one, which then counts.
    const [first] = waiting;
    const decided = await store.admin('POST', `/api/moderation/reviews/${first?.id}/keep`);
    expect(decided.status).toBe(200);
    expect((await store.listing()).rating.count).toBe(21);
  });

  it('are public again on the next day, and so are those of older accounts at any time', async () => {
    const store = await openRatedStore();
    await store.install('old');
    await store.as('old', 'GET', MINE);
    store.advance(25 * 60 * 60_000);
    for (const name of CROWD) await store.rated(name, 5);
    expect((await bodyOf(store.rate('old', 1))).review).toMatchObject({ hidden: false });
    store.advance(25 * 60 * 60_000);
    await store.install('later');
    expect((await bodyOf(store.rate('later', 1))).review).toMatchObject({ hidden: false });
  });
});

describe('concurrent requests', () => {
  it('of one user leave one review, which is counted once', BOTH_DATABASES, async () => {
    const store = await openRatedStore();
    const twin = await twinOf(store);
    await store.install('anna');
    await store.writeInstalls();
    const session = await store.signedIn('anna');
    const stars = [1, 5, 2, 4, 3, 5, 1, 2];
    const answers = await Promise.all(
      stars.map((rating, n) =>
        (n % 2 ? twin : store).call('PUT', MINE, { session, json: { rating, installId: installOf('anna') } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(stars.map(() => 200));
    const { rating, reviews } = await store.reviews();
    expect(reviews).toHaveLength(1);
    expect(rating).toMatchObject({ count: 1, average: reviews[0].rating });
    expect((await store.listing()).rating).toEqual({ count: 1, average: reviews[0].rating });
  });

  it('of several users with one installation create one review', async () => {
    const store = await openRatedStore();
    const twin = await twinOf(store);
    await store.install('anna');
    await store.writeInstalls();
    const names = ['anna', 'ben', 'carl', 'dora'];
    const sessions = [];
    for (const name of names) sessions.push(await store.signedIn(name));
    const json = { rating: 1, installId: installOf('anna') };
    const answers = await Promise.all(
      sessions.map((session, n) => (n % 2 ? twin : store).call('PUT', MINE, { session, json })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    expect((await store.listing()).rating).toEqual({ average: 1, count: 1 });
  });

  it('that write and delete leave a rating that matches the reviews', BOTH_DATABASES, async () => {
    const store = await openRatedStore();
    const twin = await twinOf(store);
    await store.rated('anna', 3);
    const session = await store.signedIn('anna');
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) =>
        (n % 2 ? twin : store).call(n % 3 ? 'PUT' : 'DELETE', MINE, {
          session,
          ...(n % 3 > 0 && { json: { rating: 5 } }),
        }),
      ),
    );
    const { rating, reviews } = await store.reviews();
    expect(rating.count).toBe(reviews.length);
    expect((await store.listing()).rating.count).toBe(reviews.length);
  });
});

it('the text of a review is not in the log, and the id of an installation is in neither log nor database', async () => {
  const store = await openRatedStore();
  await store.rated('anna', 1, { body: 'A very private remark' });
  expect(store.lines.join('\n')).not.toMatch(/very private|installation-of-anna/);
  await store.close();
  expect(await contentsOf(store.folder)).not.toContain('installation-of-anna');
});

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
