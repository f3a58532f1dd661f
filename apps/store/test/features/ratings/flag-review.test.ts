import { BOTH_DATABASES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf, twinOf } from '../../support/test-store.ts';

const QUEUE = '/api/moderation/reviews';

/** A store with a review of anna's, and a way to flag it. */
async function flagged() {
  const store = await openRatedStore();
  const id = await store.rated('anna', 1, { title: 'Buy pills' });
  const flag = (who: string, json: object = { reason: 'spam' }) =>
    store.as(who, 'POST', `${REVIEWS}/${id}/flag`, json);
  const queue = async () => (await bodyOf(store.admin('GET', QUEUE))).reviews;
  return { store, id, flag, queue };
}

it('a flag adds the review to the moderation queue, with its author and reason', BOTH_DATABASES, async () => {
  const { store, id, flag, queue } = await flagged();
  expect(await queue()).toEqual([]);
  const answer = await flag('ben', { reason: 'other', note: 'It sells something.' });
  expect(answer.headers.get('RateLimit')).toBe('"flags";r=29;t=3600');
  store.advance(1_000);
  await flag('olga');
  const [first, second] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:01.000Z'];
  expect(await queue()).toMatchObject([
    {
      id,
      title: 'Buy pills',
      author: { id: 'anna', name: 'anna' },
      hidden: false,
      waitingSince: first,
      flags: [
        {
          reason: 'other',
          note: 'It sells something.',
          by: 'person:ben',
          name: 'ben',
          byPublisher: false,
          at: first,
        },
        { reason: 'spam', note: '', by: 'person:olga', name: 'olga', byPublisher: true, at: second },
      ],
    },
  ]);
  // A flag does not hide the review.
  expect((await store.reviews()).reviews).toHaveLength(1);
});

it(
  'a user has one flag per review, also with concurrent requests to two processes',
  BOTH_DATABASES,
  async () => {
    const { store, flag, queue, id } = await flagged();
    const twin = await twinOf(store);
    const session = await store.signedIn('ben');
    const path = `${REVIEWS}/${id}/flag`;
    const json = { reason: 'abuse' };
    const asked = await Promise.all(
      [store, twin, store].map((one) => one.call('POST', path, { session, json })),
    );
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200]);
    await flag('ben', { reason: 'privacy' });
    expect((await queue())[0].flags).toMatchObject([{ by: 'person:ben', reason: 'privacy' }]);
  },
);

it('a user whose flag was decided cannot flag the review again until it changes', async () => {
  const { store, id, flag, queue } = await flagged();
  await flag('ben');
  store.advance(1_000);
  await store.admin('POST', `${QUEUE}/${id}/keep`, {});
  expect(await bodyOf(flag('ben'))).toMatchObject({ httpStatus: 409, code: 'already_handled' });
  expect((await flag('carl')).status).toBe(200);
  await store.admin('POST', `${QUEUE}/${id}/keep`, {});
  store.advance(1_000);
  await store.rate('anna', 1, { title: 'Buy more pills' });
  expect((await flag('ben')).status).toBe(200);
  expect(await queue()).toHaveLength(1);
});

it('a flag is refused from the author of the review, with an invalid reason or note, and on a hidden review', async () => {
  const { store, id, flag } = await flagged();
  const codeOf = async (answer: Promise<Response>) => (await bodyOf(answer)).code;
  expect(await codeOf(flag('anna'))).toBe('forbidden');
  for (const json of [
    {},
    { reason: 'dislike' },
    { reason: 'spam', note: 'a'.repeat(501) },
    { reason: 'spam', note: '\u202E' },
  ]) {
    expect(await codeOf(flag('ben', json))).toBe('invalid_request');
  }
  await store.admin('POST', `${QUEUE}/${id}/hide`, { note: 'Spam.' });
  expect(await codeOf(flag('ben'))).toBe('not_found');
});

it('a user can send 30 flags per hour', async () => {
  const { store, flag } = await flagged();
  for (let n = 0; n < 30; n += 1) await flag('ben');
  expect((await flag('ben')).status).toBe(429);
  store.advance(3_600_001);
  expect((await flag('ben')).status).toBe(200);
});
