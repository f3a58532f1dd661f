import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/serve.ts';
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

describe('a page from memory', () => {
  it.each(['', '?limit=1', '?q=notes&sort=name'])(
    'is the page the router sends, headers and all: %s',
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

  it('is not sent to who has it', async () => {
    const { url } = await listening();
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('shows what was published or withdrawn since', async () => {
    const { store, url } = await listening();
    await (await fetch(url)).text();
    await store.admin('PATCH', '/api/admin/apps/com.example.a', { suspended: true });
    expect(await (await fetch(url)).json()).toMatchObject({ total: 1 });
  });

  it('is never an error', async () => {
    const { url } = await listening();
    for (let n = 0; n < 2; n += 1) expect((await fetch(`${url}?limit=0`)).status).toBe(400);
    expect((await fetch(`${url}x`)).status).toBe(404);
  });
});
