import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendKey, generateSigningKeyPem, readSigningKey, signHead, signRevocations } from '@svc/signing';
import { BOTH_DATABASES, DEEP, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';
import { LIES } from './lies.ts';
import {
  APP,
  addUpstream,
  COMPANY,
  carrying,
  companyStore,
  type Lie,
  publicStore,
  servedStore,
  turn,
} from './support.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const HEAD = `/api/apps/${APP}/head`;
const LIST = '/api/apps/revocations';
const LIST_HEAD = '/api/revocations/head';
const FOREIGN = readSigningKey(generateSigningKeyPem());

/** A lie of one answer of the upstream. */
const when =
  (path: string, answer: (own: Response) => Promise<Response> | Response): Lie =>
  async (asked, own) =>
    asked === path ? answer(await own()) : undefined;

/** A lie of the list of yanks, by an upstream that does not serve it in parts. */
const whenList =
  (answer: (own: Response) => Promise<Response> | Response): Lie =>
  (asked, own) =>
    asked === LIST_HEAD ? new Response('', { status: 404 }) : when(LIST, answer)(asked, own);

const changedList = (change: (body: Record<string, unknown>) => unknown) =>
  whenList(async (own) => json(change((await own.json()) as Record<string, unknown>)));

const changed = (path: string, change: (body: Record<string, unknown>) => unknown) =>
  when(path, async (own) => json(change((await own.json()) as Record<string, unknown>)));

/** An answer with other bytes. */
function withBytes({ headers: own }: Response, bytes: Uint8Array): Response {
  const headers = new Headers(own);
  headers.delete('content-length');
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}

const other = createHash('sha256').update('other').digest('hex');

/** What an upstream may send for its app, and how that ends: nothing of it is listed. */
const REFUSED: [what: string, lie: Lie, note: RegExp][] = [
  [
    'another bundle than it signed',
    when(`/api/apps/${APP}/versions/1.0.0/bundle`, (own) =>
      withBytes(own, sampleBundle({ id: APP, name: 'Evil' })),
    ),
    /not the one in the signed list/,
  ],
  [
    'a bundle of another app',
    when(`/api/apps/${APP}/versions/1.0.0/bundle`, (own) =>
      withBytes(own, sampleBundle({ id: 'com.example.evil' })),
    ),
    /not the one in the signed list/,
  ],
  [
    'a version that it carries itself',
    when(`/api/apps/${APP}/versions/1.0.0/bundle`, (own) => {
      const headers = new Headers(own.headers);
      headers.set('x-svc-origin', Buffer.from('{}').toString('base64url'));
      return new Response(own.body, { headers });
    }),
    /carries it from another one/,
  ],
  [
    'a signature of another time',
    when(`/api/apps/${APP}/versions/1.0.0/bundle`, (own) => {
      const headers = new Headers(own.headers);
      headers.set('x-svc-published-at', '2020-01-01T00:00:00.000Z');
      return new Response(own.body, { headers });
    }),
    /signature is not valid/,
  ],
  [
    'a bundle without an end',
    when(
      `/api/apps/${APP}/versions/1.0.0/bundle`,
      ({ headers }) =>
        new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) }), {
          headers: new Headers([...headers].filter(([name]) => name !== 'content-length')),
        }),
    ),
    /sends more than/,
  ],
];

let page = {};

/** What an upstream may send that stops all of it. */
const STOPPED: [what: string, lie: Lie, code: string][] = [
  [
    'a list of another key',
    whenList(() => json(signRevocations([], '2026-03-01T12:00:00.000Z', FOREIGN))),
    'not-verified',
  ],
  [
    'a list without its signature',
    changedList((body) => ({ ...body, signature: 'A'.repeat(88) })),
    'not-verified',
  ],
  [
    'a head of another key',
    when(HEAD, () => {
      const list = [{ version: '9.0.0', sha256: other, state: 'published' as const }];
      return json({
        ...signHead({ appId: APP, latest: '9.0.0', versions: list }, '2026-03-01T12:00:00.000Z', FOREIGN),
        list,
      });
    }),
    'not-verified',
  ],
  [
    'versions that the head does not cover',
    changed(HEAD, (body) => ({ ...body, list: [{ version: '1.0.0', sha256: other, state: 'published' }] })),
    'not-verified',
  ],
  [
    'a redirect inside',
    whenList(() => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })),
    'unreachable',
  ],
  ['a page that is no list', whenList(() => new Response('<html>')), 'unreachable'],
  [
    'a list without an end',
    whenList(
      () =>
        new Response(new ReadableStream({ pull: (s) => s.enqueue(new Uint8Array(1024 * 1024).fill(32)) })),
    ),
    'failed',
  ],
  [
    'a catalogue without an end',
    when('/api/apps/catalog', async (own) => {
      // After the first page the cursor is none of the store, which refuses it.
      if (own.ok) page = (await own.json()) as object;
      return json({ ...page, nextCursor: 'again' });
    }),
    'failed',
  ],
];

describe('an upstream that sends', () => {
  it.each(REFUSED)('%s has nothing listed here', async (_what, lie, note) => {
    const origin = await publicStore();
    const company = await companyStore();
    const id = await addUpstream(company, origin.address);
    origin.lie(lie);
    await turn(company);
    const { apps } = await bodyOf(company.admin('GET', `/api/admin/upstreams/${id}/apps`));
    expect(apps).toMatchObject([{ appId: APP, state: 'refused', note: expect.stringMatching(note) }]);
    expect((await bodyOf(company.call('GET', '/api/apps/catalog'))).apps).toEqual([]);
    expect(await company.stores.versions.find({ appId: APP, version: '1.0.0' })).toBe(null);
  });

  it.each(STOPPED)('%s stops, and what is carried goes on', async (_what, lie, code) => {
    const { origin, company, upstream, later } = await carrying();
    later(MINUTE);
    await origin.publish(origin.token, { id: APP, version: '1.1.0' });
    origin.lie(lie);
    await turn(company);
    expect((await upstream()).failure).toMatchObject({ code });
    const { publisher, version } = await bodyOf(company.call('GET', `/api/apps/${APP}`));
    expect({ version, ...publisher }).toMatchObject({ verified: false });
    expect((await company.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).toBe(200);
    origin.lie(() => undefined);
    later(MINUTE);
    await turn(company);
    await turn(company);
    expect((await upstream()).failure).toBe(null);
    expect((await bodyOf(company.call('GET', `/api/apps/${APP}`))).version).toBe('1.1.0');
  });
});

describe('an upstream that lies', () => {
  it('has nothing new here while it does, and all of it afterwards', DEEP, async () => {
    const { origin, company, upstream, apps, later } = await carrying();
    for (const [n, [what, lie, failure, note]] of LIES.entries()) {
      const version = `1.${n + 1}.0`;
      later(MINUTE);
      await origin.publish(origin.token, { id: APP, version });
      origin.lie(lie);
      await turn(company);
      expect([what, (await upstream()).failure?.code ?? null]).toEqual([what, failure]);
      const [app] = await apps();
      if (failure === null) expect([what, app.state]).toEqual([what, 'refused']);
      if (note) expect(app.note, what).toMatch(note);
      expect(await company.stores.versions.find({ appId: APP, version }), what).toBe(null);
      expect((await company.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).toBe(200);
      origin.lie(() => undefined);
    }
    later(MINUTE);
    await origin.publish(origin.token, { id: APP, version: '2.0.0' });
    await turn(company);
    await turn(company);
    expect((await upstream()).failure).toBe(null);
    expect((await bodyOf(company.call('GET', `/api/apps/${APP}`))).version).toBe('2.0.0');
  });

  it('in its name for an app waits for a moderator when that looks like one of here', async () => {
    const { origin, company, later } = await carrying();
    const token = await company.publisherToken('corp', true);
    await company.publish(token, { id: 'com.corp.payroll', name: 'Payroll', publisher: 'corp' });
    await company.decide('approve', '1.0.0', {}, 'com.corp.payroll');
    later(MINUTE);
    await origin.publish(origin.token, { id: 'com.example.payroll', name: 'Paуroll' });
    await origin.decide('approve', '1.0.0', {}, 'com.example.payroll');
    await turn(company);
    const { entries } = await bodyOf(company.admin('GET', '/api/moderation/queue'));
    expect(entries).toMatchObject([
      {
        appId: 'com.example.payroll',
        reasons: expect.arrayContaining([expect.stringContaining('lookalike')]),
      },
    ]);
    expect((await company.call('GET', '/api/apps/com.example.payroll')).status).toBe(404);
  });

  it('and carries what comes from here ends at once: two stores are no loop', async () => {
    const one = await servedStore({ SVC_BASE_URL: 'http://127.0.0.1:8' });
    const two = await servedStore({ SVC_BASE_URL: COMPANY });
    await one.publish(await one.publisherToken('example', true), { id: APP });
    await one.decide('approve', '1.0.0', {}, APP);
    const ids = [await addUpstream(two, one.address), await addUpstream(one, two.address)];
    for (let n = 0; n < 3; n += 1) {
      for (const store of [two, one]) await turn(store);
      for (const store of [one, two]) store.advance(MINUTE);
    }
    const appsOf = async (store: typeof two, id = '') =>
      (await bodyOf(store.admin('GET', `/api/admin/upstreams/${id}/apps`))).apps;
    expect(await appsOf(two, ids[0])).toMatchObject([{ appId: APP, state: 'carried' }]);
    expect(await appsOf(one, ids[1])).toMatchObject([{ appId: APP, state: 'refused' }]);
    expect((await bodyOf(one.call('GET', `/api/apps/${APP}`))).origin).toBe(undefined);
  });
});

describe('an upstream', () => {
  it('that goes back to an older list is not followed', BOTH_DATABASES, async () => {
    const { origin, company, upstream, later } = await carrying();
    const old = await bodyOf(origin.call('GET', LIST));
    delete old.httpStatus;
    later(MINUTE);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await company.runJob('Following upstreams');
    origin.lie(whenList(() => json(old)));
    await company.runJob('Following upstreams');
    expect((await upstream()).failure).toMatchObject({ code: 'rolled-back' });
    expect((await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state).toBe('yanked');
  });

  it('that signs a carried version again with other bytes is a fork until its key is pinned again', async () => {
    const { origin, company, id, upstream, later } = await carrying();
    later(15 * MINUTE);
    const pem = await origin.stores.versions.find({ appId: APP, version: '1.0.0' });
    expect(pem?.sha256).not.toBe(other);
    await origin.stores.db.updateTable('versions').set({ sha256: other }).execute();
    await turn(company);
    expect((await upstream()).failure).toMatchObject({ code: 'forked' });
    await origin.stores.db
      .updateTable('versions')
      .set({ sha256: pem?.sha256 ?? '' })
      .execute();
    later(15 * MINUTE);
    await turn(company);
    expect((await upstream()).failure).toMatchObject({ code: 'forked' });
    const { keyIds } = await upstream();
    const path = `/api/admin/upstreams/${id}`;
    expect((await company.admin('PATCH', path, { keyId: keyIds.at(-1) })).status).toBe(200);
    await turn(company);
    expect((await upstream()).failure).toBe(null);
  });

  it('that is silent for too long stops new installs, and its return ends that', BOTH_DATABASES, async () => {
    const { origin, company, upstream, later } = await carrying();
    origin.lie(() => new Response('', { status: 503 }));
    later(MINUTE);
    await turn(company);
    expect(await upstream()).toMatchObject({ failure: { code: 'unreachable' }, isStopped: false });
    later(6 * DAY);
    await turn(company);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(200);
    later(2 * DAY);
    await turn(company);
    expect((await upstream()).isStopped).toBe(true);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(404);
    origin.lie(() => undefined);
    await turn(company);
    expect(await upstream()).toMatchObject({ failure: null, isStopped: false });
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(200);
  });

  it('is followed to a new key that the one before signed, and to no other', BOTH_DATABASES, async () => {
    const { origin, company, upstream, later } = await carrying();
    const { keys: chain } = await bodyOf(origin.call('GET', '/api/apps/public-keys'));
    const old = readSigningKey(await readFile(join(origin.folder, 'keys', 'signing-key.pem'), 'utf8'));
    const next = readSigningKey(generateSigningKeyPem());
    const signed = signRevocations([], new Date(origin.clock().getTime() + MINUTE).toISOString(), next);
    const rotatedBy = (key: typeof old, keys: typeof chain) => {
      const listed = appendKey(keys, key, next, '2099-01-01T00:00:00.000Z');
      origin.lie((path) =>
        path === LIST_HEAD
          ? new Response('', { status: 404 })
          : path === LIST
            ? json(signed)
            : path === '/api/apps/public-keys'
              ? json({ keys: listed })
              : undefined,
      );
    };
    later(MINUTE);
    const { keyId, publicKeyPem } = FOREIGN;
    rotatedBy(FOREIGN, [{ ...chain[0], keyId, publicKeyPem }]);
    await company.runJob('Following upstreams');
    expect(await upstream()).toMatchObject({ failure: { code: 'not-verified' }, keyIds: [old.keyId] });
    rotatedBy(old, chain);
    await company.runJob('Following upstreams');
    expect((await upstream()).keyIds).toEqual([old.keyId, next.keyId]);
    const { entries } = await bodyOf(company.admin('GET', '/api/admin/audit'));
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'upstream.key',
        detail: expect.objectContaining({ keyId: next.keyId }),
      }),
    );
    // What the retired key signs now is refused.
    origin.lie(whenList(() => json(signRevocations([], '2099-01-01T00:00:00.000Z', old))));
    await company.runJob('Following upstreams');
    expect((await upstream()).failure).toMatchObject({ code: 'not-verified' });
  });

  it('that does not answer delays no other one', async () => {
    const { origin, company, later } = await carrying();
    const slow = await servedStore();
    await addUpstream(company, slow.address);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.lie(async (path) => {
      if (path !== LIST && path !== LIST_HEAD) return undefined;
      await held;
      return new Response('', { status: 503 });
    });
    later(MINUTE);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    const turn = company.runJob('Following upstreams');
    const state = async () => (await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state;
    await expect.poll(state).toBe('yanked');
    release();
    await turn;
  });

  it('that is removed stops new installs of its apps', BOTH_DATABASES, async () => {
    const { company, id } = await carrying();
    expect((await company.admin('DELETE', `/api/admin/upstreams/${id}`)).status).toBe(204);
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(404);
    expect((await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state).toBe('published');
  });

  it('is not the store itself, and has the key that the administrator compared', async () => {
    const origin = await publicStore();
    const company = await companyStore();
    const asked = {
      address: origin.address,
      choices: { which: 'all', apps: [], categories: [], how: 'all', grants: [] },
    };
    const add = (json: object) => bodyOf(company.admin('POST', '/api/admin/upstreams', json));
    expect(await add({ ...asked, keyId: FOREIGN.keyId })).toMatchObject({ code: 'invalid_request' });
    expect(await add({ ...asked, address: 'ftp://example.com', keyId: 'k' })).toMatchObject({
      code: 'invalid_request',
    });
    expect(await add({ ...asked, address: COMPANY, keyId: 'k' })).toMatchObject({
      code: 'invalid_request',
    });
    expect(await add({ ...asked, address: 'http://127.0.0.1:1', keyId: 'k' })).toMatchObject({
      code: 'unavailable',
    });
    // Each reader of a store in the network would ask itself.
    const outside = await openTestStore();
    const refused = outside.admin('POST', '/api/admin/upstreams', { ...asked, keyId: 'k' });
    expect(await bodyOf(refused)).toMatchObject({ code: 'invalid_request' });
    await addUpstream(company, origin.address);
    const { keyId } = await bodyOf(origin.call('GET', '/api/apps/public-key'));
    expect(await add({ ...asked, keyId })).toMatchObject({ code: 'already_handled' });
  });
});
