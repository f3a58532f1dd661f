import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const at = (action: string, version = '1.0.0') =>
  action === 'unyank'
    ? `/api/admin/apps/com.example.notes/versions/${version}/unyank`
    : `/api/apps/com.example.notes/versions/${version}/${action}`;

async function withYanked(...versions: string[]) {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  for (const version of versions) {
    await store.publish(token, { version });
    await store.decide('approve', version);
    await store.call('POST', at('yank', version), { token, json: { reason: 'It lost notes.' } });
  }
  const undo = (version: string) =>
    store.admin('POST', at('unyank', version), { reason: 'It was another app.' });
  const revoked = async () => (await bodyOf(store.call('GET', '/api/apps/revocations'))).entries;
  return { store, token, undo, revoked };
}

describe('undoing a yank', () => {
  it('lists the version again, and removes it from the revocation list', BOTH_DATABASES, async () => {
    const { store, undo, revoked } = await withYanked('1.0.0');
    expect(await revoked()).toMatchObject([{ appId: 'com.example.notes', reason: 'It lost notes.' }]);
    expect((await store.call('GET', at('bundle'))).status).toBe(410);
    expect(await bodyOf(undo('1.0.0'))).toMatchObject({
      httpStatus: 200,
      status: 'published',
      notes: 'It was another app.',
    });
    expect(await revoked()).toEqual([]);
    expect((await store.call('GET', at('bundle'))).status).toBe(200);
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({
      apps: [{ version: '1.0.0' }],
    });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=version.unyank'));
    expect(entries).toMatchObject([
      { actor: 'automation', publisher: 'example', detail: { reason: 'It was another app.' } },
    ]);
  });

  it('lists the highest version, not the one that was restored last', async () => {
    const { store, undo } = await withYanked('1.0.0', '2.0.0');
    const listed = async () => (await bodyOf(store.call('GET', '/api/apps/catalog'))).apps[0]?.version;
    await undo('2.0.0');
    await undo('1.0.0');
    expect(await listed()).toBe('2.0.0');
  });

  it(
    'succeeds once with concurrent requests; the others get the status of the version',
    BOTH_DATABASES,
    async () => {
      const { undo } = await withYanked('1.0.0');
      const answers = await Promise.all(Array.from({ length: 5 }, () => bodyOf(undo('1.0.0'))));
      expect(answers.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409, 409, 409, 409]);
      const late = answers.find(({ httpStatus }) => httpStatus === 409);
      expect(late).toMatchObject({ code: 'already_handled', status: 'published' });
    },
  );

  it('can be followed by another yank, with its own reason and time', async () => {
    const { store, token, undo, revoked } = await withYanked('1.0.0');
    await undo('1.0.0');
    store.advance(1_000);
    await store.call('POST', at('yank'), { token, json: { reason: 'After all.' } });
    expect(await revoked()).toEqual([
      { appId: 'com.example.notes', version: '1.0.0', reason: 'After all.', at: '2026-03-01T12:00:01.000Z' },
    ]);
  });

  it('requires an administrator, a reason, and a yanked version', async () => {
    const { store, token } = await withYanked('1.0.0');
    const refused = (path: string, call: object) => bodyOf(store.call('POST', path, call));
    const json = { reason: 'Please.' };
    expect(await refused(at('unyank'), { token, json })).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    expect(await bodyOf(store.admin('POST', at('unyank'), {}))).toMatchObject({ code: 'invalid_request' });
    expect((await store.admin('POST', at('unyank', '9.0.0'), json)).status).toBe(404);
    await store.publish(token, { version: '1.1.0', name: 'Other' });
    expect(await bodyOf(store.admin('POST', at('unyank', '1.1.0'), json))).toMatchObject({
      httpStatus: 409,
      status: 'in_review',
    });
  });
});
