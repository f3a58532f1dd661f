import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore, type Reviewer, reviewPath } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const ASSIGNMENT = `${reviewPath()}/assignment`;
const ROUNDS = runs(20);

async function waiting() {
  const store = await openModeratedStore();
  const token = await store.publisherToken();
  await store.publish(token);
  const assign = (who: Reviewer, json: object) => bodyOf(store.as(who, 'PUT', ASSIGNMENT, json));
  const queue = async (who: Reviewer, assigned: string) =>
    (await bodyOf(store.as(who, 'GET', `/api/moderation/queue?assigned=${assigned}`))).total;
  return { store, token, assign, queue };
}

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
    ['an account that does not exist', 'person:nobody'],
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
