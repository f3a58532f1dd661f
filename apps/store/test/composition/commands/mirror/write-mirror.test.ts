import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MIRROR_FILE } from '@svc/contracts';
import { openRuntime } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/store-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { headersOf } from '../../../../src/composition/commands/mirror/mirror-target.ts';
import { tempFolder } from '../../../support/backup.ts';
import { needsExtension } from '../../../support/extensions.ts';
import { APP, mirrored } from '../../../support/mirrored.ts';
import { bodyOf } from '../../../support/test-store.ts';

const SERVER = 'v0.1/servers/com.example/notes/versions';
const LISTS = new Set(['v0.1/servers', SERVER]);

/** A server of plain files, which knows nothing of stores. */
async function serveFiles(folder: string) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    seen.push(path);
    try {
      const bytes = readFileSync(join(folder, LISTS.has(path) ? `${path}/index.json` : path));
      const { type, cache } = headersOf(path);
      response.writeHead(200, { 'Content-Type': type, 'Cache-Control': cache }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

describe('a mirror', () => {
  it('answers for the store while that is off: search, install with the log, a yank', async () => {
    const { store, folder, writer, stop, from } = await mirrored();
    expect(await writer.run()).toMatchObject({ apps: 2, removed: 0 });
    const files = await serveFiles(folder);
    const left: unknown[] = [];
    const runtime = await openRuntime({
      folder: await tempFolder(),
      store: from,
      mirrors: [files.address],
      system: { ...defaultSystem, now: () => store.clock().getTime() },
      ask: async () => ({ accepted: false }),
      localApps: true,
    });
    onTestFinished(() => runtime.close());
    runtime.events.subscribe((event) => event.type === 'mirror-left' && left.push(event));
    // The first key comes from the store itself.
    await runtime.revocations.check();
    await stop();
    const { apps, total } = await runtime.reader.search({ q: 'mai' });
    expect([total, apps.map(({ appId }) => appId)]).toEqual([1, ['com.example.mail']]);
    expect((await runtime.reader.search({ sort: 'name', limit: 1 })).nextCursor).toBe('mirror-1');
    expect((await runtime.reader.detail(APP, undefined, { html: true })).name).toBe('Notes');
    const sheet = await runtime.installer.prepareInstall(APP);
    await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(runtime.library.get(APP)?.version).toBe('1.0.0');
    const [icon] = apps.map(({ iconUrl }) => iconUrl);
    expect((await runtime.reader.picture(icon ?? '')).type).toBe('image/png');
    expect(left).toEqual([]);
    store.advance(60_000);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await writer.run();
    expect(await runtime.revocations.check()).toMatchObject({ refused: null, stale: false });
    expect(runtime.library.get(APP)?.yanked).toMatchObject({ reason: 'It lost notes.' });
    // What no mirror has, only the store could say.
    await expect(runtime.reader.detail('com.example.none')).rejects.toMatchObject({
      code: 'store-unreachable',
    });
  });

  it(
    'has feeds and the registry API at their own addresses, and none of them for what is yanked',
    needsExtension('feeds', 'registry'),
    async () => {
      const { store, token, folder, writer } = await mirrored();
      await writer.run();
      const { address } = await serveFiles(folder);
      const get = (path: string) => fetch(`${address}/${path}`);
      const json = (path: string) => bodyOf(get(path));
      const feed = await get('feeds/new.atom');
      expect([feed.headers.get('content-type'), feed.headers.get('cache-control')]).toEqual([
        'application/atom+xml',
        'public, max-age=60',
      ]);
      expect(await feed.text()).toBe(await (await store.call('GET', '/feeds/new.atom')).text());
      for (const path of [`feeds/apps/${APP}.json`, 'feeds/publishers/example.json'])
        expect((await get(path)).headers.get('content-type')).toBe('application/feed+json');
      const list = await json('v0.1/servers');
      expect(list.metadata).toEqual({ count: 2 });
      expect((await json(`${SERVER}/latest`)).server.version).toBe('1.0.0');
      store.advance(60_000);
      await store.publish(token, { id: APP, version: '1.1.0+b.1', name: 'Notes' });
      await writer.run();
      expect((await json(SERVER)).servers).toHaveLength(2);
      const latest = await json(`${SERVER}/latest`);
      expect(latest).toEqual(
        await bodyOf(store.call('GET', `/${SERVER.replace('/notes', '%2Fnotes')}/latest`)),
      );
      store.advance(60_000);
      for (const version of ['1.0.0', '1.1.0+b.1'])
        await store.admin('POST', `/api/apps/${APP}/versions/${encodeURIComponent(version)}/yank`, {
          reason: 'It lost notes.',
        });
      await writer.run();
      expect((await json('v0.1/servers')).metadata).toEqual({ count: 1 });
      for (const path of [SERVER, `${SERVER}/latest`, `${SERVER}/1.0.0`, `feeds/apps/${APP}.atom`])
        expect((await get(path)).status, path).toBe(404);
      expect(await (await get('feeds/yanks.json')).text()).toContain('It lost notes.');
    },
  );

  it('asks the store again only for what changed', async () => {
    const { store, writer, asked } = await mirrored();
    await writer.run();
    const after = async (ms: number) => {
      store.advance(ms);
      asked.length = 0;
      await writer.run();
      return asked.filter((one) => /com\.example|servers|feeds/.test(one) && !one.includes('deprecations'));
    };
    expect(await after(60_000)).toEqual([]);
    // The heads of apps that did not change.
    expect((await after(10 * 60_000)).sort()).toEqual([
      'GET /api/apps/com.example.mail/head?list=1',
      `GET /api/apps/${APP}/head?list=1`,
    ]);
    expect(
      (await after(3_600_000))
        .filter((one) => one.endsWith('/bundle'))
        .every((one) => one.startsWith('HEAD')),
    ).toBe(true);
  });

  it('is written again where something changed, and keeps what a reader may still ask for', async () => {
    const { store, token, folder, writer, asked } = await mirrored();
    await writer.run();
    const bundles = () => asked.filter((one) => /^GET .*\/bundle$/.test(one)).length;
    expect(bundles()).toBe(2);
    const before = asked.length;
    store.advance(60_000);
    expect(await writer.run()).toMatchObject({ apps: 2, removed: 0 });
    // Of apps that did not change nothing is asked.
    expect(asked.slice(before).some((one) => one.includes(APP) && !one.includes('deprecations'))).toBe(false);
    await store.publish(token, { id: APP, version: '1.1.0', name: 'Notes' });
    await writer.run();
    expect(bundles()).toBe(3);
    const old = await readFile(join(folder, MIRROR_FILE), 'utf8');
    store.advance(60_000);
    const objects = await readdir(join(folder, 'objects'), { recursive: true });
    for (const name of objects.filter((one) => one.includes('.')))
      await utimes(join(folder, 'objects', name), new Date(0), new Date(0));
    expect((await writer.run()).removed).toBeGreaterThan(0);
    expect(await readFile(join(folder, MIRROR_FILE), 'utf8')).not.toBe(old);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.draft-'));
    expect(names).toEqual([]);
  });

  it('stays as it was when the disk is full, and no half of it is seen', async () => {
    let isFull = false;
    const { store, token, folder, writer } = await mirrored((target) => ({
      ...target,
      async write(path, bytes) {
        if (isFull && path.endsWith('.zip'))
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        await target.write(path, bytes);
      },
    }));
    await writer.run();
    const before = await readFile(join(folder, MIRROR_FILE), 'utf8');
    store.advance(60_000);
    await store.publish(token, { id: APP, version: '1.1.0', name: 'Notes' });
    isFull = true;
    await expect(writer.run()).rejects.toThrow('no space left');
    expect(await readFile(join(folder, MIRROR_FILE), 'utf8')).toBe(before);
    isFull = false;
    await writer.run();
    expect(await readFile(join(folder, MIRROR_FILE), 'utf8')).not.toBe(before);
  });

  it('is written over no other files, and over no mirror of another store', async () => {
    const { folder, writer } = await mirrored();
    await writeFile(join(folder, 'index.html'), 'a page');
    await expect(writer.run()).rejects.toThrow('other files');
    await rm(join(folder, 'index.html'));
    const other = await mirrored();
    await other.writer.run();
    await writeFile(join(folder, MIRROR_FILE), await readFile(join(other.folder, MIRROR_FILE)));
    await expect(writer.run()).rejects.toThrow('another store');
  });
});
