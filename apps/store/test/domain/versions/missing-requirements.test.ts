import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const NEEDED = 'com.example.needed';
const REVIEW = '/api/moderation/apps/com.example.notes/versions/1.0.0';
const requires = { apps: [{ id: NEEDED, reason: 'It keeps the notes.' }] };

const WARNING = {
  code: 'requires.id',
  level: 'warning',
  path: '/requires/apps/0/id',
  message: expect.stringContaining(NEEDED),
};

async function opened() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  const issuesInReview = async () => (await bodyOf(store.admin('GET', REVIEW))).issues;
  return { store, token, issuesInReview };
}

describe('a required app that this store does not have', () => {
  it('is a warning in the upload and the review, and prevents the approval until the app is published', async () => {
    const { store, token, issuesInReview } = await opened();
    const made = await bodyOf(store.publish(token, { requires }));
    expect(made).toMatchObject({ httpStatus: 201, status: 'in_review', issues: [WARNING] });
    expect(made.reasons).toContain('flagged:requires.id');
    expect(await issuesInReview()).toMatchObject([WARNING]);
    const refused = await bodyOf(store.decide('approve', '1.0.0', {}));
    expect(refused).toMatchObject({ httpStatus: 422, code: 'validation_failed', issues: [WARNING] });

    await store.publish(token, { id: NEEDED });
    expect(await bodyOf(store.decide('approve', '1.0.0', {}))).toMatchObject({ httpStatus: 422 });
    await store.decide('approve', '1.0.0', {}, NEEDED);
    expect(await issuesInReview()).toEqual([]);
    expect(await bodyOf(store.decide('approve', '1.0.0', {}))).toMatchObject({ status: 'published' });
  });

  it('does not prevent a rejection', async () => {
    const { store, token } = await opened();
    await store.publish(token, { requires });
    expect(await bodyOf(store.decide('reject', '1.0.0', { note: 'No.' }))).toMatchObject({
      status: 'rejected',
    });
  });

  it.each([
    [
      'suspended',
      (store: Awaited<ReturnType<typeof openTestStore>>) =>
        store.admin('PATCH', `/api/admin/apps/${NEEDED}`, { suspended: true }),
    ],
    [
      'yanked',
      (store: Awaited<ReturnType<typeof openTestStore>>) =>
        store.admin('POST', `/api/apps/${NEEDED}/versions/1.0.0/yank`, { reason: 'It lost notes.' }),
    ],
  ])('sends an update to review when the app was %s since the last version', async (_what, lose) => {
    const { store, token } = await opened();
    await store.publish(token, { id: NEEDED });
    await store.decide('approve', '1.0.0', {}, NEEDED);
    await store.publish(token, { requires });
    await store.decide('approve', '1.0.0', {});
    expect(await bodyOf(store.publish(token, { requires, version: '1.1.0' }))).toMatchObject({
      status: 'published',
    });
    await lose(store);
    expect(await bodyOf(store.publish(token, { requires, version: '1.2.0' }))).toMatchObject({
      status: 'in_review',
      reasons: ['flagged:requires.id'],
    });
  });

  it('is not reported for apps that every client includes', async () => {
    const { store, token } = await opened();
    const builtIn = { apps: [{ id: 'media', reason: 'It makes pictures small.' }] };
    expect(await bodyOf(store.publish(token, { requires: builtIn }))).toMatchObject({
      reasons: ['first-version'],
      issues: [],
    });
  });
});
