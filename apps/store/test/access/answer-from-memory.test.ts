import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/composition/serve.ts';
import { openTestStore } from '../support/test-store.ts';

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

async function listening() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  for (const id of ['com.example.a', 'com.example.b']) {
    await store.publish(token, { id });
    await store.decide('approve', '1.0.0', {}, id);
  }
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  return { store, url: `http://127.0.0.1:${server.port}/api/apps/catalog` };
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

  it('is 404 for the details of an app that was suspended since', async () => {
    const { store, url } = await listening();
    const address = url.replace('catalog', 'com.example.a');
    for (let n = 0; n < 2; n += 1) expect((await fetch(address)).status).toBe(200);
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect((await fetch(address)).status).toBe(404);
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
  ])('has the same body and headers as from the router for a page: %s', async (path, route) => {
    const { store, url } = await listening();
    const ask = () => fetch(new URL(path, url), { headers: { 'accept-encoding': 'br' } });
    const routed = await ask();
    const lines = store.lines.length;
    const remembered = await ask();
    expect(headersOf(remembered)).toEqual(headersOf(routed));
    expect(remembered.headers.get('access-control-allow-origin')).toBeNull();
    expect(await remembered.text()).toBe(await routed.text());
    expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route, status: 200 });
  });

  it('is 404 for the page of an app that was suspended since', async () => {
    const { store, url } = await listening();
    const ask = () => fetch(new URL('/apps/com.example.a', url));
    for (let n = 0; n < 2; n += 1) expect((await ask()).status).toBe(200);
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect((await ask()).status).toBe(404);
  });

  it('omits an app whose only version was yanked since, and is 404 for its details and its page', async () => {
    const { store, url } = await listening();
    const addresses = [url.replace('catalog', 'com.example.a'), new URL('/apps/com.example.a', url).href];
    const statuses = () => Promise.all(addresses.map(async (address) => (await fetch(address)).status));
    for (let n = 0; n < 2; n += 1) {
      expect(await (await fetch(url)).json()).toMatchObject({ total: 2 });
      expect(await statuses()).toEqual([200, 200]);
    }
    const reason = 'It leaked notes.';
    const yanked = await store.admin('POST', '/api/apps/com.example.a/versions/1.0.0/yank', { reason });
    expect(yanked.status).toBe(200);
    expect(await (await fetch(url)).json()).toMatchObject({ total: 1, apps: [{ appId: 'com.example.b' }] });
    expect(await statuses()).toEqual([404, 404]);
  });
});
