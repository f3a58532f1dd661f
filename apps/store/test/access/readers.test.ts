import { READERS, ROUTES } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { jsonOf, openTestStore, type TestStore } from '../support/test-store.ts';

const APP = 'com.example.notes';

/** A store with an app that only members may read. */
async function closedStore() {
  const store = await openTestStore({ environment: { SVC_READ: 'members' } });
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}

/** Every URL that shows something about an app. */
const ADDRESSES = [
  '/api/apps/catalog',
  '/api/apps/catalog?q=notes',
  `/api/apps/${APP}`,
  `/api/apps/${APP}/versions/1.0.0/bundle`,
  `/api/apps/${APP}/versions/1.0.0/files/assets/icon.png`,
  `/api/apps/${APP}/versions/1.0.0/status`,
  `/api/apps/${APP}/reviews`,
  '/api/apps/revocations',
  '/',
  `/apps/${APP}`,
  `/apps/${APP}/preview.png`,
  '/preview.png',
  '/categories/productivity',
  '/publishers/example',
  '/publishers/example/preview.png',
];

const readToken = async (store: TestStore, scopes: string[], appId?: string) => {
  const session = await store.signedIn('reader', appId ? { membership: { example: 'member' } } : {});
  const made = await store.call('POST', '/api/people/me/tokens', {
    session,
    json: { name: 'a client', scopes, ...(appId && { appId }) },
  });
  return (await jsonOf<{ token: string }>(made)).token;
};

describe('a store that only members may read', () => {
  it('has a rule for each public route, and for no other', () => {
    const isPublic = Object.entries(ROUTES).flatMap(([name, { auth }]) => (auth === 'none' ? [name] : []));
    expect(Object.keys(READERS).sort()).toEqual(isPublic.sort());
  });

  it.each(['GET', 'HEAD'])('refuses %s without a session or token, or with invalid ones', async (method) => {
    const { store } = await closedStore();
    for (const path of ADDRESSES) {
      const answer = await store.call(method, path);
      const isPage = !path.startsWith('/api/') && !path.endsWith('.png');
      expect([path, answer.status]).toEqual([path, isPage && method === 'GET' ? 303 : 401]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).not.toContain('Notes');
      const forged = { authorization: 'Bearer svcp_00000000000000000000000000000000000' };
      expect((await store.call(method, path, { headers: forged })).status).not.toBe(200);
      const cookie = { cookie: '__Host-svc-session=none' };
      expect((await store.call(method, path, { headers: cookie })).status).not.toBe(200);
    }
  });

  it('serves a session and a read token, without shared caching', async () => {
    const { store } = await closedStore();
    const session = await store.signedIn('anna');
    const token = await readToken(store, ['read']);
    for (const path of ADDRESSES) {
      for (const caller of [{ session }, { token }]) {
        const answer = await store.call('GET', path, caller);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers.get('cache-control') ?? '').not.toMatch(/\bpublic\b/);
        expect(answer.headers.get('vary')).toContain('Authorization');
        await answer.arrayBuffer();
      }
    }
  });

  it('refuses a token without the scope read, except for the status of its versions', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['status']);
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(403);
    expect((await store.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`, { token })).status).toBe(403);
    expect((await store.call('GET', `/api/apps/${APP}/versions/1.0.0/status`, { token })).status).toBe(200);
  });

  it('tells the owner of a token without the scope read to sign in again', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['publish:new', 'publish:update', 'yank', 'status']);
    const answer = await store.call('GET', '/api/apps/catalog', { token });
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      {
        code: 'forbidden',
        message: expect.stringMatching(/lacks the scope read: sign in again with svc login/),
      },
    ]);
  });

  it('shows a token that is bound to an app only this app', async () => {
    const { store, token } = await closedStore();
    const other = 'com.example.other';
    await store.publish(token, { id: other, name: 'Another app' });
    await store.decide('approve', '1.0.0', {}, other);
    const bound = await readToken(store, ['read', 'status'], other);
    const about = (appId: string) =>
      ADDRESSES.filter((path) => path.includes(APP)).map((path) => path.replace(APP, appId));
    for (const path of about(other)) {
      const answer = await store.call('GET', path, { token: bound });
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.arrayBuffer();
    }
    for (const path of [...about(APP), '/api/apps/catalog', '/api/apps/catalog?q=notes', '/']) {
      const answer = await store.call('GET', path, { token: bound });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).not.toContain('Notes');
    }
    expect((await store.call('GET', '/api/apps/revocations', { token: bound })).status).toBe(200);
  });

  it('refuses a token at once when its owner is suspended', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['read']);
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(200);
    await store.admin('PATCH', '/api/admin/people/reader', { suspended: true });
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(401);
  });

  it('serves nothing from memory without a token', async () => {
    const { store, token } = await closedStore();
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(200);
    const ended: unknown[] = [];
    const response = { writeHead: (...head: unknown[]) => ended.push(head), end: () => ended.push('end') };
    const urls = ['/api/apps/catalog', '/api/apps/com.example.notes/versions/1.0.0/bundle'];
    for (const url of urls) {
      const request = { method: 'GET', url, headers: {} };
      expect(store.answerFromMemory(request as never, response as never, () => {})).toBe(false);
    }
    expect(ended).toEqual([]);
  });

  it('allows sign-in, documentation and health checks without a session', async () => {
    const { store } = await closedStore();
    for (const path of ['/healthz', '/readyz', '/api/store', '/api/apps/public-key', '/sign-in', '/docs'])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 200]);
    expect(await jsonOf(store.call('GET', '/api/store'))).toMatchObject({ read: 'members' });
  });

  it('accepts uploads', async () => {
    const { store, token } = await closedStore();
    expect((await store.upload(token, sampleBundle({ version: '1.0.1' }))).status).toBe(201);
  });
});
