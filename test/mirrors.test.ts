import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIRROR_FILE } from '@svc/contracts';
import { openRuntime } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/store-client';
import { freePort, needs } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { headersOf } from '../apps/store/src/composition/commands/mirror/mirror-target.ts';
import { tempFolder } from '../apps/store/test/support/backup.ts';
import { APP, mirrored } from '../apps/store/test/support/mirrored.ts';

const sample = (file: string): string => readFileSync(join(import.meta.dirname, '../deploy', file), 'utf8');

type Place = { own: number; folder: string; mirror: string };

/** A sample of `deploy/` with the port and the folders of a test. */
const SERVERS: { name: string; start(place: Place): ChildProcess }[] = [
  {
    name: 'nginx',
    start({ own, folder, mirror }) {
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const text = sample('mirror.nginx.conf')
        .replace('listen 8080', `listen 127.0.0.1:${own}`)
        .replace('/srv/mirror;', `${mirror};`);
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      const file = join(folder, 'nginx.conf');
      writeFileSync(
        file,
        `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events {} http { access_log off; ${places.join(' ')} ${text} }`,
      );
      return spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], {
        stdio: 'inherit',
      });
    },
  },
  {
    name: 'caddy',
    start({ own, folder, mirror }) {
      const file = join(folder, 'Caddyfile');
      const text = sample('mirror.Caddyfile')
        .replace(':8080 {', `http://127.0.0.1:${own} {`)
        .replaceAll('/srv/mirror', mirror);
      writeFileSync(file, `{\n\tadmin off\n}\n${text}`);
      const env = { PATH: process.env.PATH, HOME: folder };
      return spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env });
    },
  },
];

const isInstalled = (name: string): boolean =>
  spawnSync(name, [name === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' }).status === 0;

async function serve(start: (place: Place) => ChildProcess, mirror: string): Promise<string> {
  const own = await freePort();
  const server = start({ own, folder: await tempFolder(), mirror });
  const ended = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const address = `http://127.0.0.1:${own}`;
  await eventually(async () => (await fetch(`${address}/mirror.json`)).status === 200);
  return address;
}

describe.each(SERVERS)('a mirror behind $name, by its sample', ({ name, start }) => {
  it('has each file with its type and its time in caches', needs(isInstalled(name), name), async () => {
    const { folder, writer } = await mirrored();
    await writer.run();
    const address = await serve(start, folder);
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
    expect(names.length).toBeGreaterThan(20);
    for (const file of names) {
      const path = file.replace(/\/index\.json$/, '');
      const response = await fetch(`${address}/${path.replace('com.example/', 'com.example%2F')}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      const { type, cache } = headersOf(path);
      const got = (header: string) => response.headers.get(header);
      expect(
        [response.status, got('content-type'), got('cache-control'), got('x-content-type-options')],
        file,
      ).toEqual([200, type, cache, 'nosniff']);
      expect(bytes.equals(readFileSync(join(folder, file))), file).toBe(true);
      if (/^(?:feeds|v0\.1)\//.test(path)) expect(got('access-control-allow-origin')).toBe('*');
    }
    const old = await fetch(`${address}/v0/servers`);
    expect([old.status, old.headers.get('content-type')]).toEqual([200, 'application/json']);
    writeFileSync(join(folder, '.draft-1'), 'half');
    for (const path of ['objects/aa/none.json', 'v0.1/servers/none', '.draft-1', 'index.html']) {
      const { status, headers } = await fetch(`${address}/${path}`);
      expect([status, headers.get('cache-control')], path).toEqual([404, null]);
    }
  });

  it('is enough for a client while the store is off', needs(isInstalled(name), name), async () => {
    const { store, folder, writer, stop, from } = await mirrored();
    await writer.run();
    // The tags of these servers have seconds, and a mirror is written every ten at most.
    utimesSync(join(folder, MIRROR_FILE), 0, 0);
    const address = await serve(start, folder);
    const runtime = await openRuntime({
      ...{ folder: await tempFolder(), store: from, mirrors: [address], localApps: true },
      system: { ...defaultSystem, now: () => store.clock().getTime() },
      ask: async () => ({ accepted: false }),
    });
    onTestFinished(() => runtime.close());
    await runtime.revocations.check();
    await stop();
    const { apps } = await runtime.reader.search({ q: 'notes' });
    expect((await runtime.reader.picture(apps[0]?.iconUrl ?? '')).bytes.length).toBeGreaterThan(0);
    const sheet = await runtime.installer.prepareInstall(APP);
    await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    store.advance(60_000);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await writer.run();
    await runtime.revocations.check();
    expect(runtime.library.get(APP)?.yanked).toMatchObject({ reason: 'It lost notes.' });
    expect(runtime.mirrors()).toEqual([{ address, left: null }]);
  });
});
