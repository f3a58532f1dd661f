import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MIRROR_FILE } from '@svc/contracts';
import { openRuntime } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/store-client';
import { readSigningKey } from '@svc/signing';
import { freePort } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  folderTarget,
  headersOf,
  type MirrorTarget,
} from '../../../../src/composition/commands/mirror/mirror-target.ts';
import { createStoreAnswers } from '../../../../src/composition/commands/mirror/read-store.ts';
import { createMirrorWriter } from '../../../../src/composition/commands/mirror/write-mirror.ts';
import { listen } from '../../../../src/composition/serve.ts';
import { tempFolder } from '../../../support/backup.ts';
import { bodyOf, openTestStore } from '../../../support/test-store.ts';

const APP = 'com.example.notes';

/** A server of plain files, which knows nothing of stores. */
async function serveFiles(folder: string) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    seen.push(path);
    try {
      const bytes = readFileSync(join(folder, path));
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

/** A store with an app that listens until it is stopped, a mirror of it, and what writes the mirror. */
async function mirrored(change: (target: MirrorTarget) => MirrorTarget = (target) => target) {
  const port = await freePort();
  const store = await openTestStore({ environment: { SVC_BASE_URL: `http://127.0.0.1:${port}` } });
  const server = await listen(
    { app: store.app, answerFromMemory: () => false, isHttps: false },
    port,
    '127.0.0.1',
  );
  let isOn = true;
  const stop = async () => {
    if (isOn) await server.close();
    isOn = false;
  };
  onTestFinished(stop);
  const token = await store.publisherToken('example', true);
  for (const [id, name] of [
    [APP, 'Notes'],
    ['com.example.mail', 'Mail'],
  ] as const) {
    await store.publish(token, { id, name });
    await store.decide('approve', '1.0.0', {}, id);
  }
  const folder = await tempFolder();
  const { keys } = await bodyOf(store.call('GET', '/api/apps/public-keys'));
  const pem = await readFile(join(store.folder, 'keys', 'signing-key.pem'), 'utf8');
  const from = `http://127.0.0.1:${port}`;
  const asked: string[] = [];
  const writer = createMirrorWriter({
    answers: createStoreAnswers({
      // The store goes on without a network.
      fetch: async (input, init) => {
        asked.push(`${init?.method ?? 'GET'} ${String(input).slice(from.length)}`);
        return store.app.fetch(new Request(input as string, init));
      },
      from,
      sleep: async () => undefined,
    }),
    target: change(folderTarget(folder)),
    store: from,
    keys: { signingKey: readSigningKey(pem), keyChain: keys },
    now: () => store.clock().getTime(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { store, token, folder, writer, asked, stop, from };
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
    expect(left).toEqual([]);
    store.advance(60_000);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await writer.run();
    expect(await runtime.revocations.check()).toMatchObject({ refused: null, stale: false });
    expect(runtime.library.get(APP)?.withdrawn).toMatchObject({ reason: 'It lost notes.' });
    // What no mirror has, only the store could say.
    await expect(runtime.reader.detail('com.example.none')).rejects.toMatchObject({
      code: 'store-unreachable',
    });
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
