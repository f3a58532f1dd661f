import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore, type Reviewer, reviewPath } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const LOCK = `${reviewPath()}/lock`;
const ASSIGNMENT = `${reviewPath()}/assignment`;
const MINUTE = 60_000;
const ROUNDS = runs(20);

async function waiting() {
  const store = await openModeratedStore();
  const token = await store.publisherToken();
  await store.publish(token);
  const lock = (who: Reviewer) => bodyOf(store.as(who, 'POST', LOCK));
  const unlock = (who: Reviewer) => bodyOf(store.as(who, 'DELETE', LOCK));
  const assign = (who: Reviewer, json: object) => bodyOf(store.as(who, 'PUT', ASSIGNMENT, json));
  const queue = async (who: Reviewer, assigned: string) =>
    (await bodyOf(store.as(who, 'GET', `/api/moderation/queue?assigned=${assigned}`))).total;
  return { store, token, lock, unlock, assign, queue };
}

const REFUSED = {
  httpStatus: 409,
  code: 'locked',
  message: expect.stringMatching(/^anna is reviewing this version until /),
  status: 'in_review',
  lock: { by: 'person:anna', name: 'anna' },
};

describe('a lock', () => {
  it('lasts 15 minutes, and can be renewed by its holder', async () => {
    const { store, lock } = await waiting();
    expect(await lock('anna')).toEqual({
      httpStatus: 200,
      appId: 'com.example.notes',
      version: '1.0.0',
      lock: { by: 'person:anna', until: '2026-03-01T12:15:00.000Z' },
    });
    store.advance(10 * MINUTE);
    expect(await lock('anna')).toMatchObject({ lock: { until: '2026-03-01T12:25:00.000Z' } });
    store.advance(15 * MINUTE - 1);
    expect(await lock('ben')).toMatchObject(REFUSED);
    store.advance(1);
    expect(await lock('ben')).toMatchObject({ httpStatus: 200, lock: { by: 'person:ben' } });
    expect(await lock('anna')).toMatchObject({ httpStatus: 409, lock: { by: 'person:ben' } });
  });

  it('is given to one of three moderators who request it at once', async () => {
    const { lock, unlock } = await waiting();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all([lock('anna'), lock('ben'), lock('admin')]);
      const statuses = answers.map(({ httpStatus }) => httpStatus).sort();
      const holders = new Set(answers.map((answer) => answer.lock.by));
      expect([round, statuses, holders.size]).toEqual([round, [200, 409, 409], 1]);
      await unlock('admin');
    }
  });

  it('can be released by its holder or an administrator, and by no other moderator', async () => {
    const { lock, unlock } = await waiting();
    await lock('anna');
    expect(await unlock('ben')).toMatchObject(REFUSED);
    // An administrator must release the lock first.
    expect(await lock('admin')).toMatchObject(REFUSED);
    expect(await unlock('anna')).toMatchObject({ httpStatus: 200, lock: null });
    expect(await unlock('anna')).toMatchObject({ httpStatus: 200, lock: null });
    await lock('anna');
    expect(await unlock('admin')).toMatchObject({ httpStatus: 200, lock: null });
    expect(await lock('ben')).toMatchObject({ httpStatus: 200 });
  });

  it('is refused for a version that is unknown or already decided', async () => {
    const { store, lock, unlock } = await waiting();
    const nowhere = `${reviewPath('9.9.9')}/lock`;
    expect((await store.as('anna', 'POST', nowhere)).status).toBe(404);
    expect((await store.as('admin', 'DELETE', nowhere)).status).toBe(404);
    await lock('anna');
    await store.as('anna', 'POST', `${reviewPath()}/reject`, { note: 'No.' });
    for (const who of ['anna', 'ben', 'admin'] as const) {
      expect(await lock(who)).toMatchObject({ httpStatus: 409, code: 'already_handled', status: 'rejected' });
      expect(await unlock(who)).toMatchObject({ httpStatus: 409, status: 'rejected' });
    }
  });
});

describe('the lock of a page', () => {
  const PAGES = ['a'.repeat(32), 'b'.repeat(32)];
  const [FIRST, SECOND] = PAGES;

  async function opened() {
    const { store, lock, unlock } = await waiting();
    const take = (page?: string) => bodyOf(store.as('anna', 'POST', LOCK, { page }));
    const close = (who: Reviewer, page?: string) => bodyOf(store.as(who, 'DELETE', `${LOCK}?page=${page}`));
    return { store, lock, unlock, take, close };
  }

  it('is released when that page closes, and not by other pages', async () => {
    const { lock, take, close } = await opened();
    await take(FIRST);
    expect(await close('anna', SECOND)).toMatchObject({ httpStatus: 200, lock: { by: 'person:anna' } });
    expect(await close('ben', FIRST)).toMatchObject({ httpStatus: 200, lock: { by: 'person:anna' } });
    // An administrator who closes a page does not release the lock of another moderator.
    expect(await close('admin', FIRST)).toMatchObject({ httpStatus: 200, lock: { by: 'person:anna' } });
    expect(await lock('ben')).toMatchObject(REFUSED);
    expect(await close('anna', FIRST)).toMatchObject({ httpStatus: 200, lock: null });
    expect(await lock('ben')).toMatchObject({ httpStatus: 200 });
  });

  it('survives a reload of the page, in whatever order its requests arrive', async () => {
    const { lock, take, close } = await opened();
    for (let round = 0; round < ROUNDS; round += 1) {
      await take(FIRST);
      await Promise.all(
        round % 2 === 0 ? [close('anna', FIRST), take(SECOND)] : [take(SECOND), close('anna', FIRST)],
      );
      expect([round, await lock('ben')]).toMatchObject([round, REFUSED]);
      await close('anna', SECOND);
    }
  });

  it('is deleted by the decision, and the page can still close afterwards', async () => {
    const { store, take, close } = await opened();
    await take(FIRST);
    await store.as('anna', 'POST', `${reviewPath()}/approve`);
    expect(await close('anna', FIRST)).toMatchObject({ httpStatus: 200, lock: null });
    const ref = { appId: 'com.example.notes', version: '1.0.0' };
    expect(await store.stores.reviews.reviewState(ref)).toBeNull();
    expect(await bodyOf(store.as('ben', 'POST', LOCK))).toMatchObject({ code: 'already_handled' });
    expect(await close('anna', 'x')).toMatchObject({ httpStatus: 400 });
  });
});

describe('a decision on a locked version', () => {
  it.each([
    ['approve', {}, { status: 'published' }],
    ['reject', { note: 'No.' }, { status: 'rejected' }],
  ])('is refused to others unless it overrides the lock: %s', async (decision, body, outcome) => {
    const { store, lock } = await waiting();
    await lock('anna');
    const decide = (who: Reviewer, json: object) =>
      bodyOf(store.as(who, 'POST', `${reviewPath()}/${decision}`, json));
    for (const who of ['ben', 'admin'] as const) {
      expect(await decide(who, body)).toMatchObject(REFUSED);
      expect(await decide(who, { ...body, override: false })).toMatchObject(REFUSED);
    }
    expect(await decide('ben', { ...body, override: 'yes' })).toMatchObject({ code: 'invalid_request' });
    expect(await decide('ben', { ...body, override: true })).toMatchObject({ httpStatus: 200, ...outcome });
    expect(await decide('anna', { ...body, override: true })).toMatchObject({ httpStatus: 409, ...outcome });
    const { entries } = await bodyOf(store.as('admin', 'GET', `/api/admin/audit?actor=person:ben`));
    expect(entries).toMatchObject([{ action: `version.${decision}`, detail: { override: true } }]);
  });

  it.each(['the holder', 'another moderator after the lock expired'])('is accepted from %s', async (who) => {
    const { store, lock } = await waiting();
    await lock('anna');
    if (who !== 'the holder') store.advance(15 * MINUTE);
    const moderator = who === 'the holder' ? 'anna' : 'ben';
    expect(await bodyOf(store.as(moderator, 'POST', `${reviewPath()}/approve`))).toMatchObject({
      status: 'published',
    });
  });

  it('and a lock at the same time: one of them succeeds', async () => {
    const { store, token, lock } = await waiting();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const version = `1.${round}.0`;
      store.advance(31_000 * 2);
      expect((await store.publish(token, { version })).status).toBe(201);
      const [locked, decided] = await Promise.all([
        bodyOf(store.as('anna', 'POST', `${reviewPath(version)}/lock`)),
        bodyOf(store.as('ben', 'POST', `${reviewPath(version)}/reject`, { note: 'No.' })),
      ]);
      expect([round, [locked.httpStatus, decided.httpStatus].sort()]).toEqual([round, [200, 409]]);
    }
    expect(await lock('anna')).toMatchObject({ httpStatus: 200 });
  });

  it('does not prevent the publisher from retracting the version', async () => {
    const { store, token, lock } = await waiting();
    await lock('anna');
    const path = '/api/apps/com.example.notes/versions/1.0.0/withdraw';
    expect(await bodyOf(store.call('POST', path, { token }))).toMatchObject({ status: 'rejected' });
  });
});

describe('a version in review', () => {
  it('can be assigned to a moderator, reassigned, and unassigned', async () => {
    const { store, assign, queue } = await waiting();
    expect([await queue('anna', 'nobody'), await queue('anna', 'me')]).toEqual([1, 0]);
    expect(await assign('anna', { to: 'person:anna' })).toEqual({
      httpStatus: 200,
      appId: 'com.example.notes',
      version: '1.0.0',
      assignedTo: 'person:anna',
    });
    expect([await queue('anna', 'me'), await queue('ben', 'others'), await queue('ben', 'me')]).toEqual([
      1, 1, 0,
    ]);
    expect(await assign('anna', { to: 'person:ben', from: 'person:anna' })).toMatchObject({
      assignedTo: 'person:ben',
    });
    const { entries } = await bodyOf(store.as('anna', 'GET', '/api/moderation/queue'));
    expect(entries).toMatchObject([{ assignedTo: 'person:ben' }]);
    expect(await bodyOf(store.as('anna', 'GET', reviewPath()))).toMatchObject({
      review: { assignedTo: 'person:ben' },
    });
    expect(await assign('ben', { to: null })).toMatchObject({ assignedTo: null });
  });

  it('is assigned to one of two moderators who take it at once', async () => {
    const { assign } = await waiting();
    for (let round = 0; round < ROUNDS; round += 1) {
      const taken = await Promise.all([
        assign('anna', { to: 'person:anna', from: null }),
        assign('ben', { to: 'person:ben', from: null }),
      ]);
      expect([round, taken.map(({ httpStatus }) => httpStatus).sort()]).toEqual([round, [200, 409]]);
      await assign('admin', { to: null });
    }
  });

  it.each([
    ['a user who is not a moderator', 'person:carl'],
    ['an account that does not exist', 'person:unknown'],
    ['automation', 'automation'],
    ['a suspended moderator', 'person:ben'],
  ])('cannot be assigned to %s', async (_what, to) => {
    const { store, assign } = await waiting();
    await store.signedIn('carl');
    await store.stores.people.change('ben', { suspended: true });
    expect(await assign('anna', { to })).toMatchObject({ httpStatus: 400, issues: [{ path: '/to' }] });
  });

  it('cannot be assigned after the decision', async () => {
    const { store, assign } = await waiting();
    await assign('anna', { to: 'person:ben' });
    await store.as('anna', 'POST', `${reviewPath()}/reject`, { note: 'No.' });
    expect(await assign('anna', { to: 'person:anna' })).toMatchObject({
      httpStatus: 409,
      code: 'already_handled',
      status: 'rejected',
    });
  });

  it('causes one mail to a moderator when another moderator assigns it', async () => {
    const { store, assign } = await waiting();
    await assign('anna', { to: 'person:anna' });
    await assign('anna', { to: 'person:ben' });
    await assign('anna', { to: 'person:ben' });
    const mails = await store.stores.mails.due('2026-03-01T12:00:00.000Z', 10);
    expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['review-assigned', 'ben@example.com'],
    ]);
    const { entries } = await bodyOf(store.as('admin', 'GET', '/api/admin/audit?action=version.assign'));
    expect(entries.map(({ detail }: { detail: object }) => detail)).toEqual([
      { to: 'person:ben' },
      { to: 'person:anna' },
    ]);
  });
});
