import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { tamper } from '../../support/database.ts';
import { has } from '../../support/extensions.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf } from '../../support/test-store.ts';

const APP = 'com.acme.notes';

/** A store with the verified publishers acme (of anna) and other (of carl), and a published app of acme. */
async function opened() {
  const store = await openPublisherStore();
  await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other', verified: true });
  await store.stores.members.add({
    publisher: 'other',
    personId: 'carl',
    role: 'owner',
    since: '2026-01-01',
  });
  const token = async (publisher: string) =>
    (await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher }))).token as string;
  const tokens = { acme: await token('acme'), other: await token('other') };
  const upload = (publisher: 'acme' | 'other', version = '1.0.0', id = APP) =>
    store.publish(tokens[publisher], { id, version, publisher });
  const publish = async (publisher: 'acme' | 'other', version = '1.0.0', id = APP) => {
    const answer = await bodyOf(upload(publisher, version, id));
    if (answer.status === 'in_review') await store.decide('approve', version, undefined, id);
    return answer;
  };
  const ofOther = (method: string, path: string, json?: unknown) =>
    store.call(method, `/api/publishers/other${path}`, {
      session: store.sessions.carl,
      ...(json !== undefined && { json }),
    });
  const codeOf = async (answer: Promise<Response>) => (await bodyOf(answer)).code;
  return { ...store, tokens, upload, publish, ofOther, codeOf };
}

type Opened = Awaited<ReturnType<typeof opened>>;

describe('an id', () => {
  it('belongs to its publisher once published, and not by an upload', async () => {
    const { upload, decide, codeOf, stores, folder } = await opened();
    await upload('acme', '9.0.0');
    expect(await codeOf(upload('other'))).toBe('id_taken');
    const taken = await upload('other', '1.0.0', 'com.acme.free');
    expect(taken.status).toBe(201);
    await decide('reject', '1.0.0', { note: 'No.' }, 'com.acme.free');
    // What the other publisher chose for its uploads is gone with it.
    await tamper(folder, 'update apps set confirm_uploads = 1');
    const freed = await bodyOf(upload('acme', '0.1.0', 'com.acme.free'));
    expect(freed).toMatchObject({ version: '0.1.0', reasons: expect.arrayContaining(['first-version']) });
    expect(freed.reasons).not.toContain('publisher-confirmation');
    expect((await stores.apps.find('com.acme.free'))?.publisher).toBe('acme');
    const freeing = { action: 'app.free', direction: 'asc', after: null, limit: 9 } as const;
    expect(await stores.audit.find(freeing)).toMatchObject([{ publisher: 'other', detail: { to: 'acme' } }]);
  });

  it('goes to the publisher that verified its website, also while a version of another is in review', async () => {
    const { upload, publish, codeOf, stores } = await opened();
    await upload('other');
    expect(await codeOf(upload('acme'))).toBe('id_taken');
    await stores.publishers.change('acme', { verifiedBy: 'website', verifiedHost: 'acme.com' });
    expect((await upload('acme')).status).toBe(201);
    expect(await codeOf(upload('other', '2.0.0'))).toBe('id_taken');
    await publish('other', '1.0.0', 'com.acme.more');
    expect(await codeOf(upload('acme', '2.0.0', 'com.acme.more'))).toBe('id_taken');
  });
});

describe('an id that another publisher only uploaded', () => {
  const HOST = { verifiedBy: 'website', verifiedHost: 'acme.com' } as const;

  it.each<[string, (store: Opened) => unknown]>([
    [
      'verified another website',
      ({ stores }) => stores.publishers.change('acme', { ...HOST, verifiedHost: 'acme.org' }),
    ],
    [
      'verified the same website as the other',
      async ({ stores }) => {
        for (const slug of ['acme', 'other']) await stores.publishers.change(slug, HOST);
      },
    ],
    [
      'verified its website while a version is being signed',
      async ({ stores, folder }) => {
        await stores.publishers.change('acme', HOST);
        await tamper(folder, "update versions set state = 'approved'");
      },
    ],
  ])('stays with it when this publisher %s', async (_what, change) => {
    const store = await opened();
    await store.upload('other');
    await change(store);
    expect(await store.codeOf(store.upload('acme'))).toBe('id_taken');
  });
});

describe('the life of an app', () => {
  it('delisted, it is in no list, and its page, bundle and updates stay; deprecated, its page says so', async () => {
    const { publish, as, call } = await opened();
    await publish('acme');
    const deprecation = { note: 'Use the new one.' };
    expect((await as('ben', 'PUT', `/apps/${APP}/life`, { delisted: true, deprecation: null })).status).toBe(
      403,
    );
    const unknown = { delisted: true, deprecation: { note: 'x', replacement: 'com.example.none' } };
    expect((await as('anna', 'PUT', `/apps/${APP}/life`, unknown)).status).toBe(404);
    await as('anna', 'PUT', `/apps/${APP}/life`, { delisted: true, deprecation });
    await as('anna', 'PUT', `/apps/${APP}/versions/1.0.0/deprecation`, { note: 'Old.' });
    expect((await bodyOf(call('GET', '/api/apps/catalog'))).apps).toEqual([]);
    expect((await bodyOf(call('GET', '/api/apps/catalog?q=notes'))).apps).toEqual([]);
    const detail = await bodyOf(call('GET', `/api/apps/${APP}`));
    expect(detail).toMatchObject({ deprecation, versions: [{ deprecated: 'Old.' }] });
    const asked = await bodyOf(call('GET', `/api/apps/deprecations?apps=com.example.none,${APP}`));
    expect(asked).toMatchObject({ apps: [{ appId: APP, deprecation, versions: { '1.0.0': 'Old.' } }] });
    expect((await call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).toBe(200);
    if (has('storefront'))
      expect(await (await call('GET', `/apps/${APP}`)).text()).toContain('Use the new one.');
    await publish('acme', '1.0.1');
    expect((await bodyOf(call('GET', '/api/apps/catalog'))).apps).toEqual([]);
    await as('anna', 'PUT', `/apps/${APP}/life`, { delisted: false, deprecation: null });
    expect((await bodyOf(call('GET', '/api/apps/catalog'))).apps).toHaveLength(1);
  });

  it('moves when both publishers agree; what the old one could publish it with ends; the next update asks', async () => {
    const { publish, upload, as, ofOther, codeOf, call, tokens } = await opened();
    await publish('acme');
    expect(await codeOf(ofOther('POST', `/offers/${APP}`, { accept: true }))).toBe('not_found');
    await as('anna', 'PUT', `/apps/${APP}/offer`, { to: 'other' });
    expect((await bodyOf(ofOther('GET', '/offers'))).offers).toMatchObject([{ appId: APP, from: 'acme' }]);
    expect((await as('anna', 'GET', `/apps/${APP}/life`)).status).toBe(200);
    await upload('acme', '1.1.0');
    expect(await codeOf(ofOther('POST', `/offers/${APP}`, { accept: true }))).toBe('already_handled');
    await call('POST', `/api/apps/${APP}/versions/1.1.0/withdraw`, { token: tokens.acme });
    expect((await ofOther('POST', `/offers/${APP}`, { accept: true })).status).toBe(200);
    expect((await bodyOf(call('GET', `/api/apps/${APP}`))).publisher.slug).toBe('other');
    expect(await codeOf(upload('acme', '1.2.0'))).toBe('id_taken');
    const next = await bodyOf(upload('other', '1.2.0'));
    expect(next.reasons).toContain('flagged:face.changed');
    expect(await codeOf(ofOther('POST', `/offers/${APP}`, { accept: true }))).toBe('not_found');
  });

  it.each<[string, (store: Opened) => unknown]>([
    [
      'is suspended',
      ({ admin }) => admin('PATCH', '/api/admin/people/dora', { suspended: true, reason: 'x' }),
    ],
    ['was demoted', ({ as }) => as('anna', 'PATCH', '/members/dora', { role: 'member' })],
    ['was removed', ({ as }) => as('anna', 'DELETE', '/members/dora')],
    ['recovered the account', ({ stores }) => stores.people.recover('dora', '2026-03-02T12:00:00.000Z')],
  ])('stays where the user who offered it %s', async (_what, change) => {
    const store = await opened();
    const { publish, as, call, ofOther, codeOf, stores } = store;
    await publish('acme');
    const dora = await store.signedIn('dora', { membership: { acme: 'owner' } });
    const offer = { session: dora, json: { to: 'other' } };
    await call('PUT', `/api/publishers/acme/apps/${APP}/offer`, offer);
    expect((await bodyOf(ofOther('GET', '/offers'))).offers).toHaveLength(1);
    await change(store);
    expect((await bodyOf(ofOther('GET', '/offers'))).offers).toEqual([]);
    expect((await bodyOf(as('anna', 'GET', `/apps/${APP}/life`))).offer).toBeNull();
    expect(await codeOf(ofOther('POST', `/offers/${APP}`, { accept: true }))).toBe('not_found');
    expect((await stores.apps.find(APP))?.publisher).toBe('acme');
    await as('anna', 'PUT', `/apps/${APP}/offer`, { to: 'other' });
    expect((await ofOther('POST', `/offers/${APP}`, { accept: true })).status).toBe(200);
  });

  it('ends when it was never installed; its id, and the name of its publisher, are never given out again', async () => {
    const { publish, upload, as, call, codeOf, admin, decide, writeInstalls } = await opened();
    await publish('acme');
    expect(await codeOf(as('anna', 'DELETE'))).toBe('already_handled');
    const bundle = `/api/apps/${APP}/versions/1.0.0/bundle`;
    await publish('acme', '1.0.0', 'com.acme.used');
    await call('GET', bundle.replace(APP, 'com.acme.used'), {
      headers: { 'x-svc-install-id': 'installation-1234567890' },
    });
    await writeInstalls();
    expect(await codeOf(as('anna', 'DELETE', '/apps/com.acme.used'))).toBe('already_handled');
    expect((await as('anna', 'DELETE', `/apps/${APP}`)).status).toBe(200);
    expect((await call('GET', bundle)).status).toBe(404);
    expect(await codeOf(upload('acme', '3.0.0'))).toBe('id_taken');
    const moved = { publisher: 'other', reason: 'They wrote it.' };
    expect((await admin('POST', '/api/admin/apps/com.acme.used/reassign', moved)).status).toBe(200);
    await publish('acme', '1.0.0', 'com.acme.bad');
    await admin('PATCH', '/api/admin/apps/com.acme.bad', { suspended: true, reason: 'It sends notes.' });
    expect(await codeOf(as('anna', 'DELETE', '/apps/com.acme.bad'))).toBe('app_suspended');
    await admin('PATCH', '/api/admin/apps/com.acme.bad', { suspended: false, reason: 'It does not.' });
    await admin('POST', '/api/apps/com.acme.bad/versions/1.0.0/yank', { reason: 'It sends notes.' });
    expect(await codeOf(as('anna', 'DELETE', '/apps/com.acme.bad'))).toBe('already_handled');
    expect((await admin('POST', '/api/admin/apps/com.acme.bad/reassign', moved)).status).toBe(200);
    await upload('acme', '1.0.0', 'com.acme.never');
    await decide('reject', '1.0.0', { note: 'No.' }, 'com.acme.never');
    expect((await as('anna', 'DELETE', '/apps/com.acme.never')).status).toBe(200);
    expect((await as('anna', 'DELETE')).status).toBe(200);
    expect(await codeOf(admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'New' }))).toBe(
      'already_exists',
    );
    expect(await codeOf(upload('acme', '1.0.0', 'com.acme.next'))).toBe('unauthorized');
  });

  /** Runs a race three times, each with an app of its own. */
  const race = (what: string, run: (store: Opened, appId: string) => Promise<void>) =>
    it(what, BOTH_DATABASES, async () => {
      const store = await opened();
      for (let round = 0; round < 3; round += 1) await run(store, `com.acme.raced-${round}`);
    });

  race('stays, or moves without the version that is uploaded meanwhile', async (store, id) => {
    await store.publish('acme', '1.0.0', id);
    await store.as('anna', 'PUT', `/apps/${id}/offer`, { to: 'other' });
    const [sent, accepted] = await Promise.all([
      store.upload('acme', '1.1.0', id),
      store.ofOther('POST', `/offers/${id}`, { accept: true }),
    ]);
    expect([
      [201, 409],
      [409, 200],
    ]).toContainEqual([sent.status, accepted.status]);
    const owner = accepted.status === 200 ? 'other' : 'acme';
    expect((await store.stores.apps.find(id))?.publisher).toBe(owner);
    const publisherOf = async (version: string) =>
      (await store.stores.versions.find({ appId: id, version }))?.publisher;
    expect(await publisherOf('1.0.0')).toBe(owner);
    expect(await publisherOf('1.1.0')).toBe(sent.status === 201 ? 'acme' : undefined);
  });

  race('ends, or stays with the version that is uploaded meanwhile', async (store, id) => {
    await store.publish('acme', '1.0.0', id);
    const [sent, deleted] = await Promise.all([
      store.upload('acme', '1.1.0', id),
      store.as('anna', 'DELETE', `/apps/${id}`),
    ]);
    expect([
      [201, 409],
      [409, 200],
    ]).toContainEqual([sent.status, deleted.status]);
    const isGone = deleted.status === 200;
    expect((await store.stores.apps.find(id)) === null).toBe(isGone);
    expect((await store.stores.versions.find({ appId: id, version: '1.1.0' })) === null).toBe(isGone);
    const bundle = await store.call('GET', `/api/apps/${id}/versions/1.0.0/bundle`);
    expect(bundle.status).toBe(isGone ? 404 : 200);
  });

  race('is neither approved nor published once it is suspended', async (store, id) => {
    await store.upload('acme', '1.0.0', id);
    await Promise.all([
      store.admin('POST', `/api/moderation/apps/${id}/versions/1.0.0/approve`, {}),
      store.admin('PATCH', `/api/admin/apps/${id}`, { suspended: true, reason: 'It sends notes.' }),
    ]);
    const page = { appId: id, direction: 'asc', after: null, limit: 20 } as const;
    const acts = (await store.stores.audit.find(page)).map(({ action }) => action);
    expect(acts).toContain('app.suspend');
    const after = acts.slice(acts.indexOf('app.suspend') + 1);
    expect(after.filter((action) => /^version\.(approve|publish)$/.test(action))).toEqual([]);
  });
});
