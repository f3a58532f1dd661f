import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore, twinOf } from '../../../support/test-store.ts';

const APP = 'com.example.notes';
const VERSION = `/api/apps/${APP}/versions`;
const REVIEW = `/api/moderation/apps/${APP}/versions`;
const REASON = 'It sends notes to a stranger.';

/** The publisher example with an owner, tokens of each kind, a published version and one in review. */
async function opened() {
  const store = await openTestStore();
  const ci = await store.publisherToken('example');
  const owner = await store.signedIn('owner', { membership: { example: 'owner' } });
  const make = async (path: string) =>
    (await jsonOf<{ token: string }>(store.call('POST', path, { session: owner, json: { name: 'mine' } })))
      .token;
  const tokens = {
    ci,
    personal: await make('/api/people/me/tokens'),
    ofOwner: await make('/api/publishers/example/tokens'),
  };
  await store.publish(tokens.personal);
  await store.decide('approve', '1.0.0', {});
  await store.publish(tokens.personal, { version: '1.1.0' });
  const queue = async () =>
    (await bodyOf(store.admin('GET', '/api/moderation/queue'))).entries.map(
      ({ version }: { version: string }) => version,
    );
  expect(await queue()).toEqual(['1.1.0']);
  return { store, owner, tokens, queue };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const suspend = ({ store }: Opened, path: string, suspended = true) =>
  store.admin('PATCH', `/api/admin/${path}`, { suspended, ...(suspended && { reason: REASON }) });

/** What each token of the publisher gets for reading, publishing, yanking and retracting. */
async function answersOf({ store, tokens }: Opened, token: keyof Opened['tokens']) {
  const json = (body: object) => ({ token: tokens[token], json: body });
  const answers = [
    store.call('GET', '/api/developer/whoami', { token: tokens[token] }),
    store.publish(tokens[token], { version: '1.2.0' }),
    store.call('POST', `${VERSION}/1.0.0/yank`, json({ reason: 'Mine.' })),
    store.call('POST', `${VERSION}/1.1.0/withdraw`, { token: tokens[token] }),
  ];
  return Promise.all(answers.map(async (answer) => (await bodyOf(answer)).code));
}

describe('a suspended publisher', () => {
  it('is refused with every token, also one that reads', async () => {
    const world = await opened();
    await suspend(world, 'publishers/example');
    for (const token of ['ci', 'personal', 'ofOwner'] as const) {
      expect([token, await answersOf(world, token)]).toEqual([token, Array(4).fill('publisher_suspended')]);
    }
  });

  it('is refused in the browser of its owner: publishing, yanking, retracting and new tokens', async () => {
    const world = await opened();
    const { store, owner: session } = world;
    await suspend(world, 'publishers/example');
    const answers = await Promise.all([
      store.call('POST', '/api/apps/publish', {
        session,
        body: sampleBundle({ version: '1.2.0' }) as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/zip' },
      }),
      store.call('POST', `${VERSION}/1.0.0/yank`, { session, json: { reason: 'Mine.' } }),
      store.call('POST', `${VERSION}/1.1.0/withdraw`, { session }),
      store.call('POST', '/api/publishers/example/tokens', { session, json: { name: 'another' } }),
    ]);
    for (const answer of answers) expect(await bodyOf(answer)).toMatchObject({ code: 'publisher_suspended' });
    // Its members see why, and not who decided.
    const detail = await bodyOf(store.call('GET', '/api/publishers/example', { session }));
    expect(detail.suspension).toEqual({ reason: REASON, at: '2026-03-01T12:00:00.000Z' });
  });

  it('has no version in the queue, none is approved, and they come back at the end', async () => {
    const world = await opened();
    await suspend(world, 'publishers/example');
    expect(await world.queue()).toEqual([]);
    expect(await bodyOf(world.store.decide('approve', '1.1.0', {}))).toMatchObject({
      code: 'publisher_suspended',
    });
    await suspend(world, 'publishers/example', false);
    expect(await world.queue()).toEqual(['1.1.0']);
    expect((await world.store.decide('approve', '1.1.0', {})).status).toBe(200);
  });

  it('can still be yanked by moderators; its versions are decided on when the suspension ends', async () => {
    const world = await opened();
    await suspend(world, 'publishers/example');
    const session = await world.store.signedIn('mona', { role: 'moderator' });
    const yank = { session, json: { reason: REASON } };
    expect((await world.store.call('POST', `${VERSION}/1.0.0/yank`, yank)).status).toBe(200);
    const rejection = { session, json: { note: REASON } };
    expect(await bodyOf(world.store.call('POST', `${REVIEW}/1.1.0/reject`, rejection))).toMatchObject({
      code: 'publisher_suspended',
    });
  });

  it.each([0, 1, 2])('publishes nothing at the same moment (%i)', async (round) => {
    const world = await opened();
    const twin = await twinOf(world.store);
    const acts = [
      () => suspend(world, 'publishers/example'),
      () => twin.decide('approve', '1.1.0', {}),
      () => twin.publish(world.tokens.ci, { version: '1.2.0' }),
    ];
    await Promise.all([...acts.slice(round), ...acts.slice(0, round)].map((act) => act()));
    // What was published was published before: nothing follows the suspension.
    const { entries } = await bodyOf(world.store.admin('GET', '/api/admin/audit?direction=asc'));
    const actions = entries.map(({ action }: { action: string }) => action);
    const after = actions.slice(actions.lastIndexOf('publisher.suspend') + 1);
    expect(after.filter((action: string) => action.startsWith('version.'))).toEqual([]);
    expect(await world.queue()).toEqual([]);
  });
});

describe('a suspended user', () => {
  it('has no valid token, also none that they created for a publisher', async () => {
    const world = await opened();
    await suspend(world, 'people/owner');
    expect(await answersOf(world, 'personal')).toEqual(Array(4).fill('unauthorized'));
    expect(await answersOf(world, 'ofOwner')).toEqual(Array(4).fill('unauthorized'));
    // That of the operator stays valid.
    expect((await answersOf(world, 'ci'))[0]).toBeUndefined();
  });

  it('has no version in the queue until the suspension ends, and none is approved', async () => {
    const world = await opened();
    await suspend(world, 'people/owner');
    expect(await world.queue()).toEqual([]);
    expect((await world.store.decide('approve', '1.1.0', {})).status).toBe(403);
    await suspend(world, 'people/owner', false);
    expect(await world.queue()).toEqual(['1.1.0']);
  });
});

describe('a suspended app', () => {
  it('has no version in the queue and none is approved, until the suspension ends', async () => {
    const world = await opened();
    await suspend(world, `apps/${APP}`);
    expect(await world.queue()).toEqual([]);
    expect(await bodyOf(world.store.decide('approve', '1.1.0', {}))).toMatchObject({ code: 'app_suspended' });
    await suspend(world, `apps/${APP}`, false);
    expect(await world.queue()).toEqual(['1.1.0']);
  });
});

describe('the reason of a suspension', () => {
  it('is required of users, and recorded with who and when', async () => {
    const { store } = await opened();
    const session = await store.signedIn('ada', { role: 'administrator' });
    for (const path of ['publishers/example', `apps/${APP}`, 'people/owner']) {
      const change = (json: object) => store.call('PATCH', `/api/admin/${path}`, { session, json });
      expect(await bodyOf(change({ suspended: true }))).toMatchObject({
        httpStatus: 400,
        issues: [{ path: '/reason' }],
      });
      expect(await bodyOf(change({ suspended: true, reason: REASON }))).toMatchObject({
        httpStatus: 200,
        suspension: { reason: REASON, by: 'person:ada', at: '2026-03-01T12:00:00.000Z' },
      });
      const ended = await bodyOf(change({ suspended: false }));
      expect([ended.suspended, ended.suspension]).toEqual([false, undefined]);
    }
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?limit=20'));
    const reasons = entries.filter(({ detail }: { detail: { reason?: string } }) => detail.reason === REASON);
    expect(reasons).toHaveLength(3);
  });

  it('may be left out by automation', async () => {
    const { store } = await opened();
    const answer = await store.call('PATCH', '/api/admin/publishers/example', {
      token: ADMIN_TOKEN,
      json: { suspended: true },
    });
    expect(answer.status).toBe(200);
  });
});
