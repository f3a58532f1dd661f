import { BOTH_DATABASES } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStores, createUnitOfWork, type Stores } from '../../../src/adapters/database/stores.ts';
import type { PersonCaller } from '../../../src/core/domain/identity/caller.ts';
import { withQueries } from '../../../src/core/domain/parts/with-queries.ts';
import { ratingQueries } from '../../../src/extensions/ratings/extension.ts';
import { decideReview } from '../../../src/extensions/ratings/moderate.ts';
import { deleteReview, hideReviewsOf, writeReview } from '../../../src/extensions/ratings/write-review.ts';
import { openDatabase } from '../../support/database.ts';
import { openRatedStore, REVIEWS } from '../../support/rated-store.ts';
import { bodyOf, twinOf } from '../../support/test-store.ts';
import { addPublisher, submitVersion } from '../../support/version-row.ts';

const QUEUE = '/api/moderation/reviews';
const MINE = `${REVIEWS}/mine`;
const note = 'It names somebody.';

/** A store with a moderator, and a review of anna's that ben has flagged. */
async function flagged() {
  const store = await openRatedStore();
  const id = await store.rated('anna', 1, { body: 'Call 555-0100.' });
  await store.rated('carl', 5);
  await store.as('ben', 'POST', `${REVIEWS}/${id}/flag`, { reason: 'privacy' });
  await store.signedIn('mary', { role: 'moderator' });
  const decide = (how: 'hide' | 'keep', json: object = { note }, who = 'mary') =>
    store.as(who, 'POST', `${QUEUE}/${id}/${how}`, json);
  const queue = async () => (await bodyOf(store.as('mary', 'GET', QUEUE))).reviews;
  return { store, id, decide, queue };
}

describe('a moderator', () => {
  it('hides a review: it leaves the list and the rating, and its author sees the note', async () => {
    const { store, id, decide, queue } = await flagged();
    const hidden = { id, hidden: true, note, waitingSince: null, flags: [] };
    expect(await bodyOf(decide('hide'))).toMatchObject(hidden);
    expect(await store.reviews()).toMatchObject({
      rating: { average: 5, count: 1 },
      reviews: [{ rating: 5 }],
    });
    expect((await store.listing()).rating).toEqual({ average: 5, count: 1 });
    expect(await queue()).toEqual([]);
    expect(await bodyOf(store.as('anna', 'GET', MINE))).toMatchObject({ review: { hidden: true, note } });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=rating.hide'));
    expect(entries).toMatchObject([{ actor: 'person:mary', detail: { rating: id, note } }]);
  });

  it('keeps a flagged review, and shows a hidden one again', async () => {
    const { store, decide, queue } = await flagged();
    expect((await decide('keep', {})).status).toBe(200);
    expect(await queue()).toEqual([]);
    expect((await store.listing()).rating).toEqual({ average: 3, count: 2 });
    await decide('hide');
    expect(await bodyOf(decide('keep', { note: 'A mistake.' }))).toMatchObject({ hidden: false });
    expect((await store.listing()).rating).toEqual({ average: 3, count: 2 });
    expect((await bodyOf(store.as('anna', 'GET', MINE))).review).not.toHaveProperty('note');
  });

  it('finds an edited hidden review in the queue; it stays hidden until the decision', async () => {
    const { store, id, decide, queue } = await flagged();
    await decide('hide');
    store.advance(1_000);
    await store.rate('anna', 2, { body: 'Call me.' });
    expect((await store.reviews()).rating.count).toBe(1);
    const since = '2026-03-01T12:00:01.000Z';
    expect(await queue()).toMatchObject([
      { id, appName: 'Notes', hidden: true, body: 'Call me.', waitingSince: since },
    ]);
    await decide('keep', {});
    expect((await store.listing()).rating).toEqual({ average: 3.5, count: 2 });
  });

  it('still hides a review that its author deletes and writes again', async () => {
    const { store, id, decide, queue } = await flagged();
    await decide('hide');
    expect((await store.as('anna', 'DELETE', MINE)).status).toBe(200);
    expect(await bodyOf(store.as('anna', 'GET', MINE))).toMatchObject({ review: null });
    expect(await ratingQueries(store.stores.db).ratings.find(id)).toMatchObject({
      removed: true,
      title: '',
      body: '',
      reply: null,
    });
    expect((await decide('keep', {})).status).toBe(404);
    expect((await store.as('anna', 'DELETE', MINE)).status).toBe(404);
    await store.rate('anna', 1, { body: 'Call 555-0100.' });
    expect((await store.reviews()).rating.count).toBe(1);
    expect(await queue()).toMatchObject([{ id, hidden: true, body: 'Call 555-0100.' }]);
  });

  it('decides once with concurrent requests to two processes', async () => {
    const { store, id } = await flagged();
    const twin = await twinOf(store);
    const session = await store.signedIn('mary');
    const answers = await Promise.all(
      [store, twin, store, twin].map((one) =>
        one.call('POST', `${QUEUE}/${id}/hide`, { session, json: { note } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await store.listing()).rating).toEqual({ average: 5, count: 1 });
  });

  it('must give a note, and cannot decide about an own review or a review of an own app', async () => {
    const { store, id, decide } = await flagged();
    expect((await decide('hide', {})).status).toBe(400);
    await store.stores.people.change('anna', { role: 'moderator' });
    await store.stores.people.change('olga', { role: 'administrator' });
    for (const who of ['anna', 'olga']) {
      expect(await bodyOf(decide('hide', { note }, who)), who).toMatchObject({ code: 'forbidden' });
    }
    expect((await store.admin('POST', `${QUEUE}/none/hide`, { note })).status).toBe(404);
    expect((await store.admin('POST', `${QUEUE}/${id}/hide`, { note })).status).toBe(200);
  });

  it('gets the queue in pages, longest waiting first', async () => {
    const { store, id } = await flagged();
    const ids = [id];
    for (const name of ['dora', 'emil']) {
      store.advance(1_000);
      ids.push(await store.rated(name, 1));
      await store.as('ben', 'POST', `${REVIEWS}/${ids.at(-1)}/flag`, { reason: 'spam' });
    }
    const first = await bodyOf(store.as('mary', 'GET', `${QUEUE}?limit=2`));
    const second = await bodyOf(store.as('mary', 'GET', `${QUEUE}?limit=2&cursor=${first.nextCursor}`));
    expect([...first.reviews, ...second.reviews].map((one: { id: string }) => one.id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });
});

type Step = {
  do: 'write' | 'delete' | 'hide' | 'keep' | 'suspend' | 'release';
  who: number;
  app: number;
  stars: number;
};

const steps = fc.array(
  fc.record({
    do: fc.constantFrom<Step['do']>(
      'write',
      'write',
      'write',
      'delete',
      'hide',
      'keep',
      'suspend',
      'release',
    ),
    who: fc.integer({ min: 1, max: 3 }),
    app: fc.integer({ min: 1, max: 2 }),
    stars: fc.integer({ min: 1, max: 5 }),
  }),
  { maxLength: 40 },
);

const person = (id: string) =>
  ({
    id,
    name: id,
    email: null,
    emailVerified: false,
    role: 'person',
    suspended: false,
    createdAt: '',
  }) as const;

const callerOf = (id: string): PersonCaller => ({
  kind: 'person',
  name: `person:${id}`,
  from: { address: null, requestId: null },
  person: person(id),
  sessionId: '',
  memberships: new Map(),
  provedAt: null,
  withheldRole: null,
  passkeyDueAt: null,
});

/** Two listed apps and three users who have installed both, with ids that are unique for the run. */
async function makeRun(stores: Stores, run: number) {
  const appOf = (n: number) => `com.example.run${run}-${n}`;
  const nameOf = (n: number) => `person-${run}-${n}`;
  const at = '2026-03-01T12:00:00.000Z';
  for (const n of [1, 2]) {
    const ref = { appId: appOf(n), version: '1.0.0' };
    await submitVersion(stores, ref, 'example');
    const said = {
      name: 'Notes',
      description: 'Notes.',
      categories: [],
      firstPublishedAt: at,
      updatedAt: at,
    };
    await stores.listings.put({ ...ref, ...said });
  }
  for (const n of [1, 2, 3]) {
    await stores.people.add(person(nameOf(n)));
    for (const m of [1, 2]) {
      const idHash = `${nameOf(n)} ${appOf(m)}`;
      await stores.installs.put([{ idHash, appId: appOf(m), version: '1.0.0', counted: true }]);
      await stores.installs.bind(idHash, nameOf(n));
    }
  }
  return { appOf, nameOf };
}

it('histogram and average match the shown reviews after any writes, deletions, moderation and suspensions', async () => {
  const db = await openDatabase();
  await addPublisher(db);
  const { unitOfWork, ...stores } = withQueries(
    { ...createStores(db), unitOfWork: createUnitOfWork(db) },
    ratingQueries,
  );
  let made = 0;
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const newId = () => `id-${++made}`;
  const clock = () => {
    // Slow enough to stay below every rate limit.
    now += 600_000;
    return new Date(now);
  };
  const settleInstall = async () => {};
  const deps = {
    unitOfWork,
    clock,
    newId,
    log: { info() {}, warn() {}, error() {} },
    installMac: (text: string) => text,
    settleInstall,
  };
  let run = 0;

  async function applyStep(
    { appOf, nameOf }: Awaited<ReturnType<typeof makeRun>>,
    step: Step,
  ): Promise<void> {
    const [id, appId] = [nameOf(step.who), appOf(step.app)];
    const rating = await stores.ratings.of(id, appId);
    const suspend = (suspended: boolean) =>
      deps.unitOfWork(async (within) => {
        await within.people.change(id, { suspended });
        await hideReviewsOf(within, id, suspended);
      });
    const automation = {
      kind: 'automation',
      name: 'automation',
      from: { address: null, requestId: null },
    } as const;
    const moderate = (to: 'hidden' | 'shown') => decideReview(deps, automation, rating?.id ?? 'none', to, '');
    const moves = {
      write: () => writeReview(deps, callerOf(id), appId, { rating: step.stars }, null),
      delete: () => deleteReview(deps, callerOf(id), appId),
      hide: () => moderate('hidden'),
      keep: () => moderate('shown'),
      suspend: () => suspend(true),
      release: () => suspend(false),
    };
    // A step that is not allowed in this state is refused, and must change nothing.
    await moves[step.do]().catch((error: Error) => expect(error.name).toBe('Refusal'));
  }

  await fc.assert(
    fc.asyncProperty(steps, async (found) => {
      const world = await makeRun(stores, ++run);
      for (const step of found) await applyStep(world, step);
      for (const appId of [world.appOf(1), world.appOf(2)]) {
        const shown = await stores.ratings.shown(appId, 'newest', null, 10);
        const { stars } = await stores.appStats.of(appId);
        expect(stars).toEqual([1, 2, 3, 4, 5].map((n) => shown.filter((one) => one.stars === n).length));
        const sum = shown.reduce((all, one) => all + one.stars, 0);
        const average = shown.length === 0 ? 0 : sum / shown.length;
        expect((await stores.listings.find(appId))?.rating).toEqual({ average, count: shown.length });
        for (const one of shown)
          expect(await stores.people.find(one.author.id)).toMatchObject({ suspended: false });
      }
    }),
    { numRuns: 40 },
  );
});

const FLAGS = '/api/moderation/reviews';

/** A store with a review of anna's, and a way to flag it. */
async function flaggedReview() {
  const store = await openRatedStore();
  const id = await store.rated('anna', 1, { title: 'Buy pills' });
  const flag = (who: string, json: object = { reason: 'spam' }) =>
    store.as(who, 'POST', `${REVIEWS}/${id}/flag`, json);
  const queue = async () => (await bodyOf(store.admin('GET', FLAGS))).reviews;
  return { store, id, flag, queue };
}

it('a flag adds the review to the moderation queue, with its author and reason', BOTH_DATABASES, async () => {
  const { store, id, flag, queue } = await flaggedReview();
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
    const { store, flag, queue, id } = await flaggedReview();
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
  const { store, id, flag, queue } = await flaggedReview();
  await flag('ben');
  store.advance(1_000);
  await store.admin('POST', `${FLAGS}/${id}/keep`, {});
  expect(await bodyOf(flag('ben'))).toMatchObject({ httpStatus: 409, code: 'already_handled' });
  expect((await flag('carl')).status).toBe(200);
  await store.admin('POST', `${FLAGS}/${id}/keep`, {});
  store.advance(1_000);
  await store.rate('anna', 1, { title: 'Buy more pills' });
  expect((await flag('ben')).status).toBe(200);
  expect(await queue()).toHaveLength(1);
});

it('a flag is refused from the author of the review, with an invalid reason or note, and on a hidden review', async () => {
  const { store, id, flag } = await flaggedReview();
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
  await store.admin('POST', `${FLAGS}/${id}/hide`, { note: 'Spam.' });
  expect(await codeOf(flag('ben'))).toBe('not_found');
});

it('a user can send 30 flags per hour', async () => {
  const { store, flag } = await flaggedReview();
  for (let n = 0; n < 30; n += 1) await flag('ben');
  expect((await flag('ben')).status).toBe(429);
  store.advance(3_600_001);
  expect((await flag('ben')).status).toBe(200);
});
