import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { parseFileUrl } from '../../../src/core/catalog/answer-from-memory.ts';
import { onPostgres } from '../../support/database.ts';
import { has, needsExtension } from '../../support/extensions.ts';
import { openTestStore } from '../../support/test-store.ts';

const VARYING = new Set([
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]);

const headersOf = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => !VARYING.has(name)));

const VERSION = '/api/apps/com.example.a/versions/1.0.0';
const ICON = `${VERSION}/files/assets/icon.png`;

async function listening() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  for (const id of ['com.example.a', 'com.example.b']) {
    await store.publish(token, { id });
    await store.decide('approve', '1.0.0', {}, id);
  }
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const origin = `http://127.0.0.1:${server.port}`;
  const ask = (path: string, init?: RequestInit) => fetch(origin + path, init);
  return { store, token, ask, url: `${origin}/api/apps/catalog` };
}

describe('a response from memory', () => {
  it.each(['', '?limit=1', '?q=notes&sort=name'])(
    'has the same body and headers as from the router: %s',
    async (query) => {
      const { store, url } = await listening();
      const routed = await fetch(url + query);
      const lines = store.lines.length;
      const remembered = await fetch(url + query);
      expect(headersOf(remembered)).toEqual(headersOf(routed));
      expect(await remembered.text()).toBe(await routed.text());
      expect(remembered.headers.get('x-request-id')).not.toBe(routed.headers.get('x-request-id'));
      expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route: '/api/apps/catalog', status: 200 });
    },
  );

  it.each(['br', 'gzip', 'identity'])('is encoded as %s on request, with a different ETag', async (form) => {
    const { url } = await listening();
    const ask = async (headers: Record<string, string> = {}) => {
      const response = await fetch(url, { headers: { 'accept-encoding': form, ...headers } });
      return { response, text: await response.text() };
    };
    const other = await fetch(url, { headers: { 'accept-encoding': form === 'gzip' ? 'br' : 'gzip' } });
    const [routed, remembered] = [await ask(), await ask()];
    expect(remembered.text).toBe(await other.text());
    expect(headersOf(remembered.response)).toEqual(headersOf(routed.response));
    const { headers } = remembered.response;
    expect(headers.get('content-encoding')).toBe(form === 'identity' ? null : form);
    expect(headers.get('vary')).toBe('Accept-Encoding');
    const etag = headers.get('etag') ?? '';
    expect(etag).not.toBe(other.headers.get('etag'));
    const again = await ask({ 'if-none-match': etag });
    expect([again.response.status, again.response.headers.get('vary')]).toEqual([304, 'Accept-Encoding']);
    expect(again.response.headers.get('content-encoding')).toBeNull();
    const foreign = await ask({ 'if-none-match': other.headers.get('etag') ?? '' });
    expect(foreign.response.status).toBe(200);
  });

  it('is 304 for a matching ETag', async () => {
    const { url } = await listening();
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('omits an app that was suspended since', async () => {
    const { store, url } = await listening();
    await (await fetch(url)).text();
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect(await (await fetch(url)).json()).toMatchObject({ total: 1 });
  });

  it('has the same body and headers as from the router for the details of an app', async () => {
    const { store, url } = await listening();
    for (const address of ['com.example.a', 'com.example.a?html=1'].map((name) =>
      url.replace('catalog', name),
    )) {
      const ask = (headers: Record<string, string> = {}) =>
        fetch(address, { headers: { 'accept-encoding': 'br', ...headers } });
      const routed = await ask();
      const lines = store.lines.length;
      const remembered = await ask();
      expect(headersOf(remembered)).toEqual(headersOf(routed));
      expect(remembered.headers.get('content-encoding')).toBe('br');
      expect(await remembered.text()).toBe(await routed.text());
      expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route: '/api/apps/:appId', status: 200 });
      const etag = remembered.headers.get('etag') ?? '';
      expect((await ask({ 'if-none-match': etag })).status).toBe(304);
    }
    const other = await fetch(url.replace('catalog', 'com.example.b'));
    expect(await other.json()).toMatchObject({ appId: 'com.example.b' });
  });

  it('is 410 for the details of an app that was suspended since', async () => {
    const { store, url } = await listening();
    const address = url.replace('catalog', 'com.example.a');
    for (let n = 0; n < 2; n += 1) expect((await fetch(address)).status).toBe(200);
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect((await fetch(address)).status).toBe(410);
  });

  it('is never a cached error', async () => {
    const { url } = await listening();
    for (let n = 0; n < 2; n += 1) expect((await fetch(`${url}?limit=0`)).status).toBe(400);
    expect((await fetch(`${url}x`)).status).toBe(404);
  });

  it.each([
    ['/', '/'],
    ['/?category=media', '/'],
    ['/categories/media?sort=name', '/categories/:category'],
    ['/publishers/example', '/publishers/:slug'],
    ['/apps/com.example.a', '/apps/:appId'],
  ])(
    'has the same body and headers as from the router for a page: %s',
    needsExtension('storefront'),
    async (path, route) => {
      const { store, url } = await listening();
      const ask = () => fetch(new URL(path, url), { headers: { 'accept-encoding': 'br' } });
      const routed = await ask();
      const lines = store.lines.length;
      const remembered = await ask();
      expect(headersOf(remembered)).toEqual(headersOf(routed));
      expect(remembered.headers.get('access-control-allow-origin')).toBeNull();
      expect(await remembered.text()).toBe(await routed.text());
      expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route, status: 200 });
    },
  );

  it('is 410 for the page of an app that was suspended since', needsExtension('storefront'), async () => {
    const { store, url } = await listening();
    const ask = () => fetch(new URL('/apps/com.example.a', url));
    for (let n = 0; n < 2; n += 1) expect((await ask()).status).toBe(200);
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect((await ask()).status).toBe(410);
  });

  it('omits an app whose only version was yanked since, and is 410 for its details and its page', async () => {
    const { store, url } = await listening();
    const addresses = [
      url.replace('catalog', 'com.example.a'),
      ...(has('storefront') ? [new URL('/apps/com.example.a', url).href] : []),
    ];
    const statuses = () => Promise.all(addresses.map(async (address) => (await fetch(address)).status));
    for (let n = 0; n < 2; n += 1) {
      expect(await (await fetch(url)).json()).toMatchObject({ total: 2 });
      expect(new Set(await statuses())).toEqual(new Set([200]));
    }
    const reason = 'It leaked notes.';
    const yanked = await store.admin('POST', '/api/apps/com.example.a/versions/1.0.0/yank', { reason });
    expect(yanked.status).toBe(200);
    expect(await (await fetch(url)).json()).toMatchObject({ total: 1, apps: [{ appId: 'com.example.b' }] });
    expect(new Set(await statuses())).toEqual(new Set([410]));
  });
});

/** With the length of the file, which is not sent in chunks. */
const fileHeadersOf = (response: Response) => ({
  ...headersOf(response),
  length: response.headers.get('content-length'),
});

describe('a small file in the memory cache', () => {
  it.each([
    [ICON, '/api/apps/:appId/versions/:version/files/:path{.+}'],
    [`${ICON}?raster`, '/api/apps/:appId/versions/:version/files/:path{.+}'],
    [`${VERSION}/bundle`, '/api/apps/:appId/versions/:version/bundle'],
  ])('is served with the same body and headers as by the router: %s', async (path, route) => {
    const { store, ask } = await listening();
    // A percent-encoded URL always goes through the router.
    const routed = await ask(path.replace('com.example.a', '%63om.example.a'));
    // The first request loads the file into memory.
    await (await ask(path)).arrayBuffer();
    const lines = store.lines.length;
    const remembered = await ask(path);
    expect([remembered.status, fileHeadersOf(remembered)]).toEqual([200, fileHeadersOf(routed)]);
    expect(Buffer.from(await remembered.arrayBuffer())).toEqual(Buffer.from(await routed.arrayBuffer()));
    expect(remembered.headers.get('x-request-id')).not.toBe(routed.headers.get('x-request-id'));
    expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route, status: 200, method: 'GET' });
    const held = { headers: { 'if-none-match': routed.headers.get('etag') ?? '' } };
    const [again, routedAgain] = [
      await ask(path, held),
      await ask(path.replace('com.example.a', '%63om.example.a'), held),
    ];
    expect([again.status, fileHeadersOf(again)]).toEqual([304, fileHeadersOf(routedAgain)]);
  });

  it('is served in ranges too', async () => {
    const { ask } = await listening();
    await (await ask(`${VERSION}/bundle`)).arrayBuffer();
    const part = await ask(`${VERSION}/bundle`, { headers: { range: 'bytes=0-3' } });
    expect([part.status, await part.text()]).toEqual([206, 'PK\u0003\u0004']);
  });

  it.each([
    ['suspended', 404],
    ['yanked', 410],
  ])('is no longer served once its version is %s', async (what, status) => {
    const { store, token, ask } = await listening();
    for (const path of [ICON, `${VERSION}/bundle`])
      for (let times = 0; times < 2; times += 1) expect((await ask(path)).status).toBe(200);
    if (what === 'suspended')
      await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    else await store.call('POST', `${VERSION}/yank`, { token, json: { reason: 'It is broken.' } });
    for (const path of [ICON, `${VERSION}/bundle`])
      expect([path, (await ask(path)).status]).toEqual([path, status]);
  });

  it('is served without a query until the next commit in the database', async () => {
    const { store, ask } = await listening();
    const { versions } = store.stores;
    const served = vi.spyOn(versions, 'served');
    const asked = async () => {
      await (await ask(ICON)).arrayBuffer();
      return served.mock.calls.length;
    };
    await asked();
    // The first response from memory queries whether the file is public.
    const before = await asked();
    const again = (await asked()) - before;
    expect(again).toBe(onPostgres() ? 1 : 0);
    await store.publisherToken('other');
    expect((await asked()) - before).toBe(again + 1);
  });

  it('is no longer served once another process yanks its version', async () => {
    const { store, token, ask } = await listening();
    for (let times = 0; times < 2; times += 1) expect((await ask(ICON)).status).toBe(200);
    const other = await openTestStore({ folder: store.folder });
    await other.call('POST', `${VERSION}/yank`, { token, json: { reason: 'It is broken.' } });
    expect((await ask(ICON)).status).toBe(410);
  });

  it('is not served for a version in review, even if another version has the same bytes', async () => {
    const { store, ask } = await listening();
    await (await ask(ICON)).arrayBuffer();
    await store.publish(await store.publisherToken('other'), { id: 'com.example.waiting' });
    for (const file of ['files/assets/icon.png', 'bundle'])
      expect((await ask(`/api/apps/com.example.waiting/versions/1.0.0/${file}`)).status).toBe(404);
  });
});

describe('parseFileUrl', () => {
  it.each([
    '/api/apps/a/versions/1.0.0',
    '/api/apps/a/versions/1.0.0/bundle/',
    '/api/apps/a/versions/1.0.0/bundle?raster',
    '/api/apps/a/versions/1.0.0/bundle?x=1',
    '/api/apps/a/versions/1.0.0/files',
    '/api/apps/a/versions/1.0.0/files/a%2Fb',
    '/api/apps/a/versions/1.0.0/files/a?raster=1',
    '/api/apps/catalog',
    '/apps/a/versions/1.0.0/bundle',
    'http://other/api/apps/a/versions/1.0.0/bundle',
  ])('returns null for a URL that is not the canonical URL of a file: %s', (url) => {
    expect(parseFileUrl(url)).toBeNull();
  });
});
