import { BOTH_DATABASES, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf, openTestStore, type TestSession, type TestStore, twinOf } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const LATER = '2100-01-01T00:00:00.000Z';

async function opened() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  const member = await store.signedIn('ann', { membership: { example: 'owner' } });
  await store.publish(token);
  await store.decide('approve', '1.0.0', {});
  return { store, token, member };
}

const upload = (store: TestStore, token: string, version: string, query = '?confirm=1') =>
  store.call('POST', `/api/apps/publish${query}`, {
    token,
    body: sampleBundle({ version }) as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/zip' },
  });

async function confirm(store: TestStore, session: TestSession, version: string, sha256?: string) {
  const record = await store.stores.versions.find({ appId: APP, version });
  return store.call('POST', `/api/apps/${APP}/versions/${version}/confirm`, {
    session,
    json: { sha256: sha256 ?? record?.sha256 },
  });
}

it('every version waits for its publisher where the policy says so', async () => {
  const store = await openModeratedStore({ policy: { confirmUploads: 'always' } });
  const answer = await bodyOf(store.publish(await store.publisherToken('example', true)));
  expect(answer.reasons).toContain('publisher-confirmation');
});

it('each upload is told to the members by mail, so that a stolen token is noticed', async () => {
  const { store, token } = await opened();
  await upload(store, token, '1.0.1', '');
  const mails = await store.stores.mails.to('ann@example.com', 10);
  const uploads = mails.filter(({ kind }) => kind === 'version-uploaded');
  const versions = uploads.map(({ detail }) => (detail as { version: string }).version);
  expect(versions.toSorted()).toEqual(['1.0.0', '1.0.1']);
});

describe('a version that waits for its publisher', () => {
  it('is published when a member confirms its hash with a fresh proof of identity, and not before', async () => {
    const { store, token, member } = await opened();
    expect(await bodyOf(upload(store, token, '1.0.1'))).toMatchObject({
      httpStatus: 201,
      status: 'in_review',
      reasons: ['publisher-confirmation'],
      permissionDiff: { baseVersion: '1.0.0' },
    });
    const mails = await store.stores.mails.due(LATER, 10);
    expect(mails.find(({ kind }) => kind === 'version-waiting')).toMatchObject({
      kind: 'version-waiting',
      recipient: 'ann@example.com',
      detail: { version: '1.0.1' },
    });
    // Moderators neither see nor decide it, and a token confirms nothing.
    expect((await bodyOf(store.admin('GET', '/api/moderation/queue'))).total).toBe(0);
    expect((await store.decide('approve', '1.0.1', {})).status).toBe(409);
    const path = `/api/apps/${APP}/versions/1.0.1/confirm`;
    expect((await store.call('POST', path, { token, json: { sha256: 'a'.repeat(64) } })).status).toBe(403);
    expect((await confirm(store, member, '1.0.1', 'a'.repeat(64))).status).toBe(409);
    store.advance(11 * 60_000);
    expect(await bodyOf(confirm(store, member, '1.0.1'))).toMatchObject({
      code: 'reauthentication_required',
    });
    await store.prove(member);
    const stranger = await store.signedIn('eve');
    expect((await confirm(store, stranger, '1.0.1')).status).toBe(403);
    const status = await bodyOf(store.call('GET', `/api/apps/${APP}/versions/1.0.1/status`));
    expect(status).toMatchObject({ status: 'in_review', reasons: ['publisher-confirmation'] });
    const headers = { accept: 'text/html' };
    const page = await store.call('GET', `/api/apps/${APP}/versions/1.0.1/status`, { headers });
    expect(await page.text()).toContain('publisher-confirmation');
    expect(await bodyOf(confirm(store, member, '1.0.1'))).toMatchObject({
      httpStatus: 200,
      status: 'published',
    });
    expect((await confirm(store, member, '1.0.1')).status).toBe(409);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=version.confirm'));
    expect(entries).toMatchObject([{ actor: 'person:ann', version: '1.0.1' }]);
  });

  it('is every version of an app whose owners choose it, also with a stolen token, and can be retracted', async () => {
    const { store, token, member } = await opened();
    const rules = { session: member, json: { trustedOnly: false, confirm: true } };
    expect((await store.call('PUT', `/api/publishers/example/apps/${APP}/publishing`, rules)).status).toBe(
      200,
    );
    expect(await bodyOf(upload(store, token, '1.0.1', ''))).toMatchObject({
      reasons: ['publisher-confirmation'],
    });
    const path = `/api/apps/${APP}/versions/1.0.1/withdraw`;
    expect(await bodyOf(store.call('POST', path, { session: member }))).toMatchObject({ status: 'rejected' });
    expect((await confirm(store, member, '1.0.1')).status).toBe(409);
  });

  it('goes to moderators after its confirmation where it needs a review, by what is published then', async () => {
    const { store, token, member } = await opened();
    const bytes = sampleBundle({ version: '1.0.1', name: 'Other Notes' }) as Uint8Array<ArrayBuffer>;
    const headers = { 'content-type': 'application/zip' };
    await store.call('POST', '/api/apps/publish?confirm=1', { token, body: bytes, headers });
    expect(await bodyOf(confirm(store, member, '1.0.1'))).toMatchObject({ status: 'in_review' });
    const { entries, total } = await bodyOf(store.admin('GET', '/api/moderation/queue'));
    expect([total, entries[0].reasons]).toEqual([1, ['flagged:face.changed']]);
    expect((await store.decide('approve', '1.0.1', {})).status).toBe(200);
  });

  it(
    'is confirmed once by two processes at the same time, and never against a suspension',
    BOTH_DATABASES,
    async () => {
      const { store, token, member } = await opened();
      const other = await twinOf(store);
      await upload(store, token, '1.0.1');
      const answers = await Promise.all([confirm(store, member, '1.0.1'), confirm(other, member, '1.0.1')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      await upload(store, token, '1.0.2');
      await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true, reason: 'Stolen.' });
      expect((await confirm(store, member, '1.0.2')).status).toBe(403);
      await store.admin('PATCH', '/api/admin/publishers/example', { suspended: false });
      // The end of a suspension puts it in no queue: it still waits for its publisher.
      expect((await bodyOf(store.admin('GET', '/api/moderation/queue'))).total).toBe(0);
      expect(await bodyOf(confirm(store, member, '1.0.2'))).toMatchObject({ status: 'published' });
    },
  );
});
