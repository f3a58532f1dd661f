import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, needs, sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/composition/serve.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { openTestStore } from '../support/test-store.ts';

const BY_PROXY = { SVC_ACCEL_REDIRECT: '/svc-bundles/', SVC_TRUSTED_PROXIES: '127.0.0.1' };
const BUNDLE = '/api/apps/com.example.large/versions/1.0.0/bundle';
const SMALL = '/api/apps/com.example.small/versions/1.0.0/bundle';
const OPERATING = readFileSync(new URL('../../../../docs/proxies.md', import.meta.url), 'utf8');

const hasNginx = spawnSync('nginx', ['-v']).error === undefined;

/** A store with a bundle that is too large for the memory cache, and one that is not. */
async function storeWithBundles(environment: Record<string, string> = {}) {
  const store = await openTestStore({ environment: { ...BY_PROXY, ...environment } });
  const token = await store.publisherToken();
  const large = sampleBundle(
    { id: 'com.example.large', name: 'Large' },
    { 'assets/noise.bin': randomBytes(400_000) },
  );
  for (const [id, body] of [
    ['large', large],
    ['small', sampleBundle({ id: 'com.example.small', name: 'Small' })],
  ] as const) {
    const answer = await store.call('POST', '/api/apps/publish', { token, body: Buffer.from(body) });
    expect(answer.status).toBe(201);
    await store.decide('approve', '1.0.0', {}, `com.example.${id}`);
  }
  return { store, token, large };
}

describe('a bundle that a proxy sends', () => {
  it('has its hash in X-Accel-Redirect, below the configured path', async () => {
    const { store } = await storeWithBundles();
    const answer = await store.call('GET', BUNDLE);
    const sha256 = answer.headers.get('x-svc-sha256') ?? '';
    expect(answer.headers.get('x-accel-redirect')).toBe(`/svc-bundles/${sha256.slice(0, 2)}/${sha256}`);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it.each([
    ['small enough for the memory cache', SMALL, {}, 200],
    ['requested as a range', BUNDLE, { range: 'bytes=0-3' }, 206],
  ])('is sent by the store when it is %s', async (_what, path, headers, status) => {
    const { store } = await storeWithBundles();
    const answer = await store.call('GET', path, { headers });
    expect([answer.status, answer.headers.get('x-accel-redirect')]).toEqual([status, null]);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(3);
  });

  it('has no X-Accel-Redirect without permission to read, and with 304', async () => {
    const { store, token } = await storeWithBundles({ SVC_READ: 'members' });
    const outsider = await store.call('GET', BUNDLE, { token: null });
    expect([outsider.status, outsider.headers.get('x-accel-redirect')]).toEqual([401, null]);
    const open = (await storeWithBundles()).store;
    const etag = (await open.call('GET', BUNDLE)).headers.get('etag') ?? '';
    const again = await open.call('GET', BUNDLE, { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('x-accel-redirect')]).toEqual([304, null]);
    await open.admin('PATCH', '/api/admin/apps/com.example.large', { suspended: true });
    const suspended = await open.call('GET', BUNDLE);
    expect([suspended.status, suspended.headers.get('x-accel-redirect')]).toEqual([404, null]);
    expect(token).not.toBe('');
  });

  it.each(['svc-bundles/', '/svc-bundles', '/../', '//', '/a b/', '/a?b/', '/'])(
    'cannot have the path %s',
    (path) => {
      expect(() => readSettings({ ...BY_PROXY, SVC_ACCEL_REDIRECT: path })).toThrow(
        /^SVC_ACCEL_REDIRECT must be a path/,
      );
    },
  );

  it('requires SVC_TRUSTED_PROXIES and bundles in the data folder', () => {
    expect(() => readSettings({ SVC_ACCEL_REDIRECT: '/svc-bundles/' })).toThrow(/needs SVC_TRUSTED_PROXIES/);
    const bucket = {
      SVC_BLOBS: 's3://bundles?endpoint=https://s3.test',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    };
    expect(() => readSettings({ ...BY_PROXY, ...bucket })).toThrow(/for bundles in the data folder/);
  });
});

/** The configuration in docs/proxies.md, with the ports and folders of this test. */
function configOf(folder: string, dataDir: string, store: number, port: number): string {
  const locations = /```nginx\n([\s\S]*?)```/.exec(OPERATING)?.[1] ?? '';
  const own = locations
    .replace('127.0.0.1:8787', `127.0.0.1:${store}`)
    .replace('/var/lib/svc-store/blobs/', `${dataDir}/blobs/`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events {} http { access_log off; ${places.join(' ')} server { listen 127.0.0.1:${port}; ${own} } }`;
}

async function behindNginx() {
  const { store, large } = await storeWithBundles();
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, store.folder, server.port, port));
  const nginx = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', config], {
    stdio: 'inherit',
  });
  const ended = once(nginx, 'exit');
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  while (nginx.exitCode === null && !(await fetch(`${url}/healthz`).catch(() => null))?.ok) await sleep(20);
  expect(nginx.exitCode).toBeNull();
  return { store, large, url, direct: `http://127.0.0.1:${server.port}` };
}

describe('nginx as docs/proxies.md sets it up', needs(hasNginx, 'needs nginx'), () => {
  const UNLIKE = new Set([
    'date',
    'connection',
    'keep-alive',
    'server',
    'x-request-id',
    'x-accel-redirect',
    'last-modified',
    'transfer-encoding',
    'content-length',
  ]);
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => !UNLIKE.has(name)));

  it('sends the bytes and the headers of the store, without X-Accel-Redirect', async () => {
    const { large, url, direct } = await behindNginx();
    const [own, sent] = [await fetch(direct + BUNDLE), await fetch(url + BUNDLE)];
    expect(own.headers.get('x-accel-redirect')).not.toBeNull();
    expect([sent.status, sent.headers.get('x-accel-redirect')]).toEqual([200, null]);
    expect(sent.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(headersOf(sent)).toEqual(headersOf(own));
    expect(Buffer.from(await sent.arrayBuffer()).equals(large)).toBe(true);
    const part = await fetch(url + BUNDLE, {
      headers: { range: 'bytes=100-199', 'if-range': own.headers.get('etag') ?? '' },
    });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(large.subarray(100, 200))]).toEqual([
      206,
      true,
    ]);
  });

  it('does not serve the folder to clients', async () => {
    const { store, url, direct } = await behindNginx();
    const path = (await fetch(direct + BUNDLE)).headers.get('x-accel-redirect') ?? '';
    for (const address of [
      path,
      '/svc-bundles/owner',
      '/svc-bundles/../store.sqlite',
      '/svc-bundles/%2e%2e/store.sqlite',
      '/svc-bundles/',
    ])
      expect([address, (await fetch(url + address)).status]).toEqual([address, 404]);
    await store.admin('PATCH', '/api/admin/apps/com.example.large', { suspended: true });
    expect((await fetch(url + BUNDLE)).status).toBe(404);
  });
});
