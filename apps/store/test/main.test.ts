import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULT } from '@svc/contracts/guarded';
import { DEEP, sampleBundle } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { startHttps } from '@svc/testkit/https-server';
import { describe, expect, it, onTestFinished, type TestOptions } from 'vitest';
import { readKeyChain } from '../src/adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../src/adapters/disk/signing-key-file.ts';
import { portOf, start } from './support/program.ts';
import { ADMIN_TOKEN } from './support/test-store.ts';

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the store as a program', () => {
  it('creates its folder and key, prints the setup link to stderr and not to the log, serves requests, and stops on SIGTERM', async () => {
    const folder = join(tempFolder(), 'data');
    const store = start({ PORT: '0', SVC_DATA_DIR: folder });
    const port = await portOf(store);
    await expect.poll(() => store.output.err).toMatch(/^svc-store: .*\/setup\?key=[\w-]{43}$/m);
    expect(store.output.out).not.toContain('/setup');
    const key = await (await fetch(`http://127.0.0.1:${port}/api/apps/public-key`)).text();
    expect(JSON.parse(key).publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(statSync(join(folder, 'keys', 'signing-key.pem')).mode & 0o777).toBe(0o600);
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(0);
  });

  it('prints the addresses with the port that the system chose', async () => {
    const store = start({ PORT: '0', SVC_DATA_DIR: join(tempFolder(), 'data') });
    const address = `http://localhost:${await portOf(store)}`;
    await expect.poll(() => store.output.err).toContain(`open: ${address}/setup?key=`);
    expect(store.output.err).toContain(`The store is at ${address}; `);
    expect(store.output.err).toContain('set PORT, or SVC_BASE_URL, for a folder that you keep');
  });

  it('keeps an address of the settings whatever port the system chooses', async () => {
    const settings = {
      PORT: '0',
      SVC_BASE_URL: 'http://localhost',
      SVC_DATA_DIR: join(tempFolder(), 'data'),
    };
    const store = start(settings);
    await portOf(store);
    await expect.poll(() => store.output.err).toContain('open: http://localhost/setup?key=');
    expect(store.output.err).not.toContain('PORT=0 gives');
  });

  it('reports in one line that the port is in use, and exits with 2', async () => {
    const squatter = createServer().listen(0);
    onTestFinished(() => void squatter.close());
    const { port } = squatter.address() as { port: number };
    const store = start({ PORT: String(port), SVC_DATA_DIR: tempFolder() });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toBe(
      `svc-store: Port ${port} is in use: stop the program that uses it, or set PORT to another port.\n`,
    );
  });

  it('requests its bucket through the proxy of its settings file', async () => {
    const seen: string[] = [];
    const proxy = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        seen.push(String(bytes).split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as { port: number };
    const folder = tempFolder();
    const file = join(folder, 'settings.env');
    const keys = ['AWS_ACCESS_KEY_ID=key', 'AWS_SECRET_ACCESS_KEY=secret'];
    const lines = ['SVC_BLOBS=s3://apps?endpoint=https://s3.invalid', `HTTPS_PROXY=http://127.0.0.1:${port}`];
    writeFileSync(file, [...lines, ...keys].join('\n'));
    start({ SVC_DATA_DIR: folder, SVC_SETTINGS_FILE: file }, ['prepare']);
    await expect.poll(() => seen).toContain('CONNECT s3.invalid:443 HTTP/1.1');
  });

  it('trusts the certificate authorities of its settings file', async () => {
    const asked: string[] = [];
    const bucket = await startHttps('localhost', ({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(403).end();
    });
    const folder = tempFolder();
    const [file, ca] = [join(folder, 'settings.env'), join(folder, 'ca.pem')];
    writeFileSync(ca, bucket.ca);
    const lines = ['AWS_ACCESS_KEY_ID=key', 'AWS_SECRET_ACCESS_KEY=secret', `SVC_CA_FILE=${ca}`];
    const endpoint = `SVC_BLOBS=s3://apps?endpoint=https://localhost:${bucket.port}`;
    writeFileSync(file, [...lines, endpoint].join('\n'));
    await start({ SVC_DATA_DIR: folder, SVC_SETTINGS_FILE: file }, ['prepare']).exit;
    expect(asked).not.toEqual([]);
  });

  /** One fault outside of the store, and one of its settings; the others take the same path. */
  const FAULTS: [string, TestOptions, (folder: string) => Record<string, string>][] = [
    ['a file instead of the folder', DEEP, (folder) => ({ SVC_DATA_DIR: join(folder, 'file') })],
    [
      'an invalid key',
      DEEP,
      (folder) => ({ SVC_DATA_DIR: join(folder, 'data'), SVC_SIGNING_KEY_FILE: join(folder, 'file') }),
    ],
    ['an invalid setting', {}, () => ({ PORT: 'x' })],
    ['a file without authorities', DEEP, (folder) => ({ SVC_CA_FILE: join(folder, 'file') })],
    [
      'an unreachable S3',
      {},
      (folder) => ({
        SVC_DATA_DIR: join(folder, 'data'),
        SVC_BLOBS: 's3://apps?endpoint=http://127.0.0.1:2',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
      }),
    ],
  ];
  for (const [fault, options, settings] of FAULTS)
    it(`reports ${fault} in one line, and exits with 2`, options, async () => {
      const folder = tempFolder();
      writeFileSync(join(folder, 'file'), 'not what you think');
      chmodSync(join(folder, 'file'), 0o600);
      const store = start({ PORT: '0', ...settings(folder) });
      expect(await store.exit).toBe(2);
      expect(store.output.err).toMatch(/^svc-store: [^\n]+\n$/);
    });

  it('starts with the new key after keys rotate', DEEP, async () => {
    const folder = join(tempFolder(), 'data');
    const settings = { PORT: '0', SVC_DATA_DIR: folder };
    const store = start(settings);
    await portOf(store);
    const rotation = start(settings, ['keys', 'rotate']);
    expect(await rotation.exit).toBe(0);
    const keyId = /is now (\S+),/.exec(rotation.output.err)?.[1];
    store.child.kill('SIGTERM');
    await store.exit;
    const port = await portOf(start(settings));
    const key = await (await fetch(`http://127.0.0.1:${port}/api/apps/public-key`)).text();
    expect(JSON.parse(key).keyId).toBe(keyId);
  });

  it('has a valid key and chain, whenever a rotation is killed', DEEP, async () => {
    const folder = join(tempFolder(), 'data');
    const file = join(folder, 'key.pem');
    await openSigningKey(file, randomUUID);
    const settings = { SVC_DATA_DIR: folder, SVC_SIGNING_KEY_FILE: file };
    const rotated = async () => expect(await start(settings, ['keys', 'rotate']).exit).toBe(0);
    // The first run may take longer, as it fills the compile cache.
    await rotated();
    const whole = performance.now();
    await rotated();
    const duration = performance.now() - whole;
    for (let part = 0; part < 8; part += 1) {
      const rotation = start(settings, ['keys', 'rotate']);
      setTimeout(() => rotation.child.kill('SIGKILL'), duration * (0.8 + part * 0.03));
      await rotation.exit;
      const chain = await readKeyChain(file, await openSigningKey(file, randomUUID));
      expect(chain.length).toBeGreaterThan(1);
      rmSync(`${file}.next`, { force: true });
    }
  });
});

describe('the store on a full disk', () => {
  const ADMIN_TOKEN = 'automation-0123456789';
  /** Limits files to four MiB, which an empty database has room in. Writes beyond that fail with EFBIG, similar to those on a full disk. */
  const SMALL_FILES = 'ulimit -f 8192';

  async function opened(folder: string, limits?: string) {
    const settings = { PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN };
    const store = start(settings, [], limits);
    const port = await portOf(store);
    const call = (method: string, path: string, body?: string | Uint8Array, type = 'application/json') =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': type },
        ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      });
    const send = (path: string, json: object) => call('POST', path, JSON.stringify(json));
    const upload = (bundle: Uint8Array) => call('POST', '/api/apps/publish', bundle, 'application/zip');
    return { ...store, call, send, upload };
  }

  it('refuses an upload that does not fit, and stores nothing of it', DEEP, async () => {
    const { call, send, upload } = await opened(tempFolder(), SMALL_FILES);
    await send('/api/admin/publishers', { slug: 'example', name: 'Example' });
    const hex = randomBytes(5_000_000).toString('hex');
    const refused = await upload(sampleBundle({}, { 'README.md': hex }));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    const address = '/api/moderation/apps/com.example.notes/versions/1.0.0/bundle';
    expect((await call('GET', address)).status).toBe(404);
    const fits = sampleBundle();
    expect((await upload(fits)).status).toBe(201);
    expect(Buffer.from(await (await call('GET', address)).arrayBuffer())).toEqual(Buffer.from(fits));
  });

  it('has stored all acknowledged changes, and no refused one', DEEP, async () => {
    const folder = tempFolder();
    const store = await opened(folder, SMALL_FILES);
    const kept: string[] = [];
    let status = 0;
    while (kept.length < 2_000) {
      const slug = `publisher-${kept.length}`;
      ({ status } = await store.send('/api/admin/publishers', { slug, name: `${slug} ${'x'.repeat(60)}` }));
      if (status !== 201) break;
      kept.push(slug);
    }
    expect(status).toBe(503);
    await expect.poll(() => store.output.out).toContain('SQLite: the disk failed: ');
    store.child.kill('SIGKILL');
    await store.exit;
    const roomy = await opened(folder);
    const statuses = await Promise.all(
      [...kept, `publisher-${kept.length}`].map(async (slug) => {
        const answer = await roomy.call('PATCH', `/api/admin/publishers/${slug}`, '{"verified":true}');
        return answer.status;
      }),
    );
    expect(statuses).toEqual([...kept.map(() => 200), 404]);
  });
});

describe('svc-store drill', () => {
  it(
    'measures a yank up to the gateway, leaves nothing behind, and removes what a killed one left',
    DEEP,
    async () => {
      const TMPDIR = tempFolder();
      const settings = { TMPDIR, SVC_DATA_DIR: join(TMPDIR, 'data') };
      const killed = start(settings, ['drill', '--versions', '400']);
      const folder = await eventually(() => {
        const [found] = readdirSync(TMPDIR);
        // The store of the drill is open, and publishes.
        expect(existsSync(join(TMPDIR, found ?? '-', 'store', 'keys'))).toBe(true);
        return found;
      });
      killed.child.kill('SIGKILL');
      expect(await killed.exit).toBe(null);
      expect(readdirSync(TMPDIR)).toEqual([folder]);
      const drill = start(settings, ['drill', '--versions', '2']);
      expect([await drill.exit, drill.output.err]).toEqual([0, '']);
      expect(drill.output.out).toMatch(
        /with 2 versions.*\n +\d+ ms {2}acted.*\n +\d+ ms.*\n +\d+ ms {2}switched off/,
      );
      expect(readdirSync(TMPDIR)).toEqual([]);
    },
  );
});

/** A store that runs code at a signal, as if it were its own. */
async function running(code: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-last-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const planted = encodeURIComponent(`process.on('SIGUSR2', () => { ${code} });`);
  const store = start({
    ...{ PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN },
    NODE_OPTIONS: `--import data:text/javascript,${planted}`,
  });
  return { store, port: await portOf(store) };
}

it.each([
  ['throws', `setTimeout(() => { throw new Error('planted'); });`],
  ['rejects', `Promise.reject(new Error('planted'));`],
])('finishes the open requests and exits with 1 when a callback %s', DEEP, async (_, code) => {
  const { store, port } = await running(code);
  const body = '{"deviceCode":"x"}';
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.write(
    `POST /api/developer/device/poll HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  // Answered on another connection after the head above was read.
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  store.child.kill('SIGUSR2');
  await expect.poll(() => store.output.out).toContain('An error was not caught.');
  socket.write(body);
  expect(await store.exit).toBe(1);
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(store.output.out).toContain('planted');
});

it('counts the error of a guarded callback, and goes on', async () => {
  const { store, port } = await running(
    `process.emitWarning('planted', { type: '${FAULT}', detail: 'where' });`,
  );
  store.child.kill('SIGUSR2');
  await expect.poll(() => store.output.out).toContain('A callback failed.');
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  expect(metrics).toMatch(/^svc_uncaught_total 1$/m);
  store.child.kill('SIGTERM');
  expect(await store.exit).toBe(0);
});
