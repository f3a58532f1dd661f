import { createHash } from 'node:crypto';
import { keyRing, verifyAtOrigin, verifyBundle, verifyOrigin } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/test-store.ts';
import { APP, addUpstream, COMPANY, carrying, publicStore, turn } from './support.ts';

const BUNDLE = `/api/apps/${APP}/versions/1.0.0/bundle`;
const MINUTE = 60_000;

describe('a carried app', () => {
  it('is published with two signatures, and says from which store it comes', BOTH_DATABASES, async () => {
    const { origin, company, upstream } = await carrying();
    expect(await upstream()).toMatchObject({ failure: null, apps: { carried: 1, waiting: 0, refused: 0 } });
    const here = await company.call('GET', BUNDLE);
    const there = await origin.call('GET', BUNDLE);
    const bytes = Buffer.from(await here.arrayBuffer());
    expect(bytes.equals(Buffer.from(await there.arrayBuffer()))).toBe(true);
    const stated = JSON.parse(Buffer.from(here.headers.get('x-svc-origin') ?? '', 'base64url').toString());
    expect(await bodyOf(company.call('GET', `/api/apps/${APP}/versions/1.0.0/origin`))).toMatchObject(stated);
    const own = keyRing([await bodyOf(company.call('GET', '/api/apps/public-key'))]);
    expect(verifyOrigin(stated, own)).toBe(true);
    expect(stated.origin).toMatchObject({
      store: origin.address,
      signature: there.headers.get('x-svc-signature'),
    });
    const record = await company.stores.versions.find({ appId: APP, version: '1.0.0' });
    const manifest = record?.manifest as NonNullable<typeof record>['manifest'];
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(verifyAtOrigin(sha256, manifest, stated, COMPANY).ok).toBe(true);
    const release = {
      ...{ appId: APP, version: '1.0.0', sha256, keyId: stated.keyId },
      publishedAt: here.headers.get('x-svc-published-at') ?? '',
      signature: here.headers.get('x-svc-signature') ?? '',
    };
    expect(verifyBundle(bytes, manifest, release, own).ok).toBe(true);
    const detail = await bodyOf(company.call('GET', `/api/apps/${APP}`));
    const { host } = new URL(origin.address);
    expect(detail.publisher).toMatchObject({ name: `The example (${host})`, verified: false });
    expect(detail.origin).toEqual({ store: origin.address, publisher: 'example' });
    expect((await origin.call('GET', `/api/apps/${APP}/versions/1.0.0/origin`)).status).toBe(404);
  });

  it(
    'follows updates, yanks and their undoing, and stays as a person here decided',
    BOTH_DATABASES,
    async () => {
      const { origin, company, later } = await carrying();
      const state = async (version: string) =>
        (await company.stores.versions.find({ appId: APP, version }))?.state;
      const yank = () =>
        origin.admin('POST', `/api/apps/${APP}/versions/1.1.0/yank`, { reason: 'It lost notes.' });
      const undo = (of: typeof company | typeof origin) =>
        of.admin('POST', `/api/admin/apps/${APP}/versions/1.1.0/unyank`, { reason: 'It was no fault.' });
      later(MINUTE);
      await origin.publish(origin.token, { id: APP, version: '1.1.0' });
      await turn(company);
      expect(await state('1.1.0')).toBe('published');
      later(MINUTE);
      expect((await yank()).status).toBe(200);
      await company.runJob('Following upstreams');
      expect(await state('1.1.0')).toBe('yanked');
      const { entries } = await bodyOf(company.call('GET', '/api/apps/revocations'));
      expect(entries).toMatchObject([{ appId: APP, version: '1.1.0', reason: 'It lost notes.' }]);
      expect((await bodyOf(company.call('GET', `/api/apps/${APP}`))).version).toBe('1.0.0');
      later(MINUTE);
      await undo(origin);
      await company.runJob('Following upstreams');
      expect(await state('1.1.0')).toBe('published');
      later(MINUTE);
      await yank();
      await company.runJob('Following upstreams');
      expect(await state('1.1.0')).toBe('yanked');
      expect((await undo(company)).status).toBe(200);
      later(MINUTE);
      await undo(origin);
      await yank();
      await company.runJob('Following upstreams');
      expect(await state('1.1.0')).toBe('published');
    },
  );

  it('waits for a moderator, as the administrator chose, and is yanked while it waits', async () => {
    const { origin, company, later, apps } = await carrying({ how: 'review' });
    const { entries: queue } = await bodyOf(company.admin('GET', '/api/moderation/queue'));
    expect(queue).toMatchObject([{ appId: APP, version: '1.0.0', reasons: ['carried'] }]);
    const review = await bodyOf(company.admin('GET', `/api/moderation/apps/${APP}/versions/1.0.0`));
    expect(review.origin).toMatchObject({
      store: origin.address,
      said: { verified: true, reviewed: true },
    });
    expect((await company.decide('approve', '1.0.0', {}, APP)).status).toBe(200);
    later(MINUTE);
    await turn(company);
    expect(await apps()).toMatchObject([{ appId: APP, state: 'carried' }]);
    await origin.publish(origin.token, { id: APP, version: '2.0.0' });
    await turn(company);
    later(MINUTE);
    await origin.admin('POST', `/api/apps/${APP}/versions/2.0.0/yank`, { reason: 'Bad.' });
    await turn(company);
    expect((await company.stores.versions.find({ appId: APP, version: '2.0.0' }))?.state).toBe('rejected');
  });

  it('goes on while its store has suspended it, without new installs', async () => {
    const { origin, company, later, apps } = await carrying();
    expect(
      await bodyOf(
        origin.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true, reason: 'Looked into.' }),
      ),
    ).toMatchObject({ httpStatus: 200 });
    later(MINUTE);

    await turn(company);
    expect(await apps()).toMatchObject([
      { appId: APP, state: 'gone', note: expect.stringContaining('suspended') },
    ]);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(404);
    expect((await bodyOf(company.call('GET', '/api/apps/revocations'))).entries).toEqual([]);
    await origin.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: false });
    later(MINUTE);
    await turn(company);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(200);
  });
});

describe('an app of which a version is here', () => {
  it('is noticed to be suspended although its newest version is refused here', async () => {
    const { origin, company, later, apps } = await carrying();
    later(MINUTE);
    await origin.publish(origin.token, { id: APP, version: '1.1.0' });
    origin.lie((path) =>
      path.endsWith('/versions/1.1.0/bundle') ? new Response(new Uint8Array(26 * 1024 * 1024)) : undefined,
    );
    await turn(company);
    expect(await apps()).toMatchObject([{ appId: APP, version: '1.1.0', state: 'refused' }]);
    expect((await bodyOf(company.call('GET', `/api/apps/${APP}`))).version).toBe('1.0.0');
    await origin.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true, reason: 'Looked into.' });
    later(MINUTE);
    await turn(company);
    expect(await apps()).toMatchObject([{ appId: APP, state: 'gone' }]);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(404);
  });

  it('gets no new version, but each yank, once it is not chosen', async () => {
    const { origin, company, id, later, apps } = await carrying({ which: 'chosen', apps: [APP] });
    const choose = (chosen: string[]) =>
      company.admin('PATCH', `/api/admin/upstreams/${id}`, {
        choices: { which: 'chosen', apps: chosen, categories: [], how: 'all', grants: [] },
      });
    expect((await choose([])).status).toBe(200);
    later(MINUTE);
    await origin.publish(origin.token, { id: APP, version: '1.1.0' });
    await turn(company);
    expect(await apps()).toMatchObject([
      { appId: APP, version: '1.0.0', state: 'carried', note: expect.stringContaining('not chosen') },
    ]);
    expect(await company.stores.versions.find({ appId: APP, version: '1.1.0' })).toBe(null);
    await choose([APP]);
    later(MINUTE);
    await turn(company);
    expect((await bodyOf(company.call('GET', `/api/apps/${APP}`))).version).toBe('1.1.0');
    await choose([]);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.1.0/yank`, { reason: 'Bad.' });
    later(MINUTE);
    await turn(company);
    expect((await company.stores.versions.find({ appId: APP, version: '1.1.0' }))?.state).toBe('yanked');
  });
});

describe('two publishers of an upstream', () => {
  it('are two here, also when their short names begin alike', async () => {
    const { origin, company, later } = await carrying();
    const names = ['a', 'b'].map((end) => `${'long-name-'.repeat(3)}of-${end}`);
    for (const [n, slug] of names.entries()) {
      const token = await origin.publisherToken(slug, true);
      await origin.publish(token, { id: `com.example.long${n}`, publisher: slug });
      await origin.decide('approve', '1.0.0', {}, `com.example.long${n}`);
    }
    later(MINUTE);
    await turn(company);
    const slugs = await Promise.all(
      names.map(
        async (_, n) => (await company.stores.apps.find(`com.example.long${n}`))?.publisher ?? 'missing',
      ),
    );
    expect(new Set(slugs).size).toBe(2);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9-]{1,40}$/);
    expect(slugs).not.toContain('missing');
  });
});

describe('the id of an app', () => {
  it('that is published here is not carried, and one that is carried is not published here', async () => {
    const { origin, company, later, apps } = await carrying();
    const token = await company.publisherToken('example', true);
    expect(await bodyOf(company.publish(token, { id: APP, version: '3.0.0' }))).toMatchObject({
      code: 'id_taken',
    });
    await company.publish(token, { id: 'com.example.own' });
    await company.decide('approve', '1.0.0', {}, 'com.example.own');
    await origin.publish(origin.token, { id: 'com.example.own', version: '5.0.0', name: 'Other' });
    await origin.decide('approve', '5.0.0', {}, 'com.example.own');
    later(MINUTE);
    await turn(company);
    expect((await apps()).find(({ appId }: { appId: string }) => appId === 'com.example.own')).toMatchObject({
      state: 'refused',
      note: expect.stringContaining('belongs to another publisher'),
    });
    expect((await bodyOf(company.call('GET', '/api/apps/com.example.own'))).version).toBe('1.0.0');
  });

  it('belongs to the first of two upstreams', async () => {
    const { company, apps } = await carrying();
    const second = await publicStore();
    const id = await addUpstream(company, second.address);
    await turn(company);
    const { apps: there } = await bodyOf(company.admin('GET', `/api/admin/upstreams/${id}/apps`));
    expect(there).toMatchObject([{ appId: APP, state: 'refused' }]);
    expect(await apps()).toMatchObject([{ appId: APP, state: 'carried' }]);
  });
});
