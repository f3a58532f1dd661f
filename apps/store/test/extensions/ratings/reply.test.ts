import { expect, it } from 'vitest';
import { ratingQueries } from '../../../src/extensions/ratings/extension.ts';
import { APP, openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

it('a publisher can reply to a review, edit the reply and delete it', async () => {
  const store = await openRatedStore();
  const id = await store.rated('anna', 2);
  const path = `${REVIEWS}/${id}/reply`;
  const answer = await store.as('olga', 'PUT', path, { body: ' We fix it. ' });
  expect(answer.headers.get('RateLimit')).toBe('"answers";r=99;t=3600');
  const at = '2026-03-01T12:00:00.000Z';
  const reply = { body: 'We fix it.', createdAt: at, updatedAt: at };
  expect(await bodyOf(answer)).toMatchObject({ id, rating: 2, reply });
  store.advance(1_000);
  await store.as('olga', 'PUT', path, { body: 'We have fixed it.' });
  const changed = { body: 'We have fixed it.', createdAt: at, updatedAt: '2026-03-01T12:00:01.000Z' };
  expect((await store.reviews()).reviews).toMatchObject([{ id, reply: changed }]);
  expect(await bodyOf(store.as('anna', 'GET', `${REVIEWS}/mine`))).toMatchObject({
    review: { reply: changed },
  });
  expect(await bodyOf(store.as('olga', 'DELETE', path))).not.toHaveProperty('reply');
  expect((await store.reviews()).reviews[0]).not.toHaveProperty('reply');
  expect(await bodyOf(store.as('olga', 'DELETE', path))).toMatchObject({ code: 'not_found' });
  const { entries } = await bodyOf(
    store.admin('GET', '/api/admin/audit?publisher=example&actor=person:olga'),
  );
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'rating.unreply',
    'rating.reply',
    'rating.reply',
  ]);
});

it('a reply is refused to non-members, to a suspended publisher, without a valid text, and to an unknown or hidden review', async () => {
  const store = await openRatedStore();
  const id = await store.rated('anna', 2);
  await store.publishVersion('1.0.0', 'com.example.other');
  const ask = async (who: string, path: string, body = 'x') =>
    (await bodyOf(store.as(who, 'PUT', path, { body }))).code;
  expect(await ask('anna', `${REVIEWS}/${id}/reply`)).toBe('not_a_member');
  expect(await ask('olga', `${REVIEWS}/none/reply`)).toBe('not_found');
  expect(await ask('olga', `/api/apps/com.example.other/reviews/${id}/reply`)).toBe('not_found');
  for (const body of ['', ' \n', '\u200D', '\u202Etxt', 'a'.repeat(2_001)]) {
    expect(await ask('olga', `${REVIEWS}/${id}/reply`, body)).toBe('invalid_request');
  }
  await store.admin('POST', `/api/moderation/reviews/${id}/hide`, { note: 'It names somebody.' });
  expect(await ask('olga', `${REVIEWS}/${id}/reply`)).toBe('not_found');
  await store.admin('POST', `/api/moderation/reviews/${id}/keep`);
  await store.stores.members.remove('example', 'olga');
  expect(await ask('olga', `${REVIEWS}/${id}/reply`)).toBe('not_a_member');
  await store.stores.members.add({ publisher: 'example', personId: 'olga', role: 'member', since: '' });
  await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
  expect(await ask('olga', `${REVIEWS}/${id}/reply`)).toBe('not_found');
});

it('a moderator can delete the reply to a hidden review, whose text the publisher does not get', async () => {
  const store = await openRatedStore();
  const id = await store.rated('anna', 2, { body: 'He lives at 1 Main Street.' });
  const path = `${REVIEWS}/${id}/reply`;
  await store.as('olga', 'PUT', path, { body: 'You are a fool.' });
  await store.admin('POST', `/api/moderation/reviews/${id}/hide`, { note: 'It names somebody.' });
  const refused = await bodyOf(store.as('olga', 'DELETE', path));
  expect(refused).toMatchObject({ code: 'not_found' });
  expect(JSON.stringify(refused)).not.toContain('Main Street');
  await store.signedIn('mary', { role: 'moderator' });
  expect((await store.as('mary', 'DELETE', path)).status).toBe(200);
  expect((await ratingQueries(store.stores.db).ratings.of('anna', APP))?.reply).toBeNull();
});
