import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { parseFileUrl } from '../../../src/features/catalog/answer-file-from-memory.ts';
import { onPostgres } from '../../support/database.ts';
import { openTestStore } from '../../support/test-store.ts';

const VARYING = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding']);

const headersOf = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => !VARYING.has(name)));

const VERSION = '/api/apps/com.example.a/versions/1.0.0';
const ICON = `${VERSION}/files/assets/icon.png`;

async function listening() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token, { id: 'com.example.a' });
  await store.decide('approve', '1.0.0', {}, 'com.example.a');
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  return { store, token, ask };
}

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
    expect([remembered.status, headersOf(remembered)]).toEqual([200, headersOf(routed)]);
    expect(Buffer.from(await remembered.arrayBuffer())).toEqual(Buffer.from(await routed.arrayBuffer()));
    expect(remembered.headers.get('x-request-id')).not.toBe(routed.headers.get('x-request-id'));
    expect(JSON.parse(store.lines[lines] ?? '')).toMatchObject({ route, status: 200, method: 'GET' });
    const held = { headers: { 'if-none-match': routed.headers.get('etag') ?? '' } };
    const [again, routedAgain] = [
      await ask(path, held),
      await ask(path.replace('com.example.a', '%63om.example.a'), held),
    ];
    expect([again.status, headersOf(again)]).toEqual([304, headersOf(routedAgain)]);
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
