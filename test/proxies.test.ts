import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS, ROUTES } from '@svc/contracts';
import { DEEP, freePort, needs } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { listen } from '../apps/store/src/composition/serve.ts';
import { portOf, start as startStore } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../apps/store/test/support/test-store.ts';

const sample = (file: string): string => readFileSync(join(import.meta.dirname, '../deploy', file), 'utf8');

type Ports = { stores: [number, number]; own: number; folder: string };

/** A sample of `deploy/` with the ports of a test: how it is started, and whether it probes `/readyz`. */
type Proxy = { name: string; probes: boolean; start(ports: Ports): ChildProcess };

const withPorts = (text: string, { stores: [one, two], own }: Ports): string =>
  text
    .replace(/(?:127\.0\.0\.1|store-1):8787/, `127.0.0.1:${one}`)
    .replace(/(?:127\.0\.0\.1:8788|store-2:8787)/, `127.0.0.1:${two}`)
    .replace(/(^|\s):8080|listen 8080/m, (found) =>
      found.startsWith('listen') ? `listen 127.0.0.1:${own}` : `${found.slice(0, -5)}127.0.0.1:${own}`,
    );

function written(ports: Ports, name: string, text: string): string {
  const file = join(ports.folder, name);
  writeFileSync(file, text);
  return file;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    probes: false,
    start(ports) {
      const { folder } = ports;
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const own = withPorts(sample('nginx.conf'), ports);
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      const config = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events {} http { access_log off; ${places.join(' ')} ${own} }`;
      const file = written(ports, 'nginx.conf', config);
      return spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], {
        stdio: 'inherit',
      });
    },
  },
  {
    name: 'caddy',
    probes: true,
    start(ports) {
      const own = withPorts(sample('Caddyfile'), ports)
        // Caddy would get a certificate for an address.
        .replace(`127.0.0.1:${ports.own} {`, `http://:${ports.own} {`)
        // Debian's Caddy is older than this option.
        .replace(/^\s*persist_config off$/m, '');
      const file = written(ports, 'Caddyfile', own);
      const env = { PATH: process.env.PATH, HOME: ports.folder };
      return spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env });
    },
  },
  {
    name: 'haproxy',
    probes: true,
    start(ports) {
      const file = written(ports, 'haproxy.cfg', withPorts(sample('haproxy.cfg'), ports));
      return spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    },
  },
];

const isInstalled = (name: string): boolean =>
  spawnSync(name, [name === 'nginx' ? '-v' : name === 'caddy' ? 'version' : '-v'], { stdio: 'ignore' })
    .status === 0;

/** A process that is about to stop: it answers 503 to probes, and counts what it is sent besides. */
async function stoppingProcess() {
  let asked = 0;
  const server = createServer((incoming, response) => {
    if (incoming.url !== ROUTES.ready.path) asked += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

/** Begins an upload that declares more bytes than it sends, and returns the answer that comes before its end. */
function unfinished(url: string): Promise<number | undefined> {
  const headers = { 'content-type': 'application/zip', 'content-length': LIMITS.bundle.bytes };
  return new Promise((resolve, reject) => {
    const upload = request(`${url}/api/apps/publish`, { method: 'POST', headers, agent: false });
    upload.on('error', reject);
    upload.on('response', ({ statusCode }) => {
      resolve(statusCode);
      upload
        .removeAllListeners('error')
        .on('error', () => {})
        .destroy();
    });
    upload.write(Buffer.alloc(64 * 1024));
  });
}

/** Starts a proxy in front of two ports; it ends after the test. @returns its address */
async function startProxy(start: Proxy['start'], stores: Ports['stores']): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = await freePort();
  const proxy = start({ stores, own, folder });
  const ended = once(proxy, 'exit');
  onTestFinished(async () => {
    proxy.kill('SIGTERM');
    await ended;
  });
  return `http://127.0.0.1:${own}`;
}

/** Two processes of the store on one folder, each at a port of its own. @returns the ports, and a function that replaces one */
async function twoProcesses() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-two-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ports: Ports['stores'] = [await freePort(), await freePort()];
  const run = async (port: number) => {
    const settings = { SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_TRUSTED_PROXIES: '127.0.0.1' };
    const program = startStore({ ...settings, PORT: String(port) });
    await portOf(program);
    return program;
  };
  // One after the other: the first creates the key.
  const running = [await run(ports[0]), await run(ports[1])];
  const replace = async (at: 0 | 1): Promise<number | null | undefined> => {
    running[at]?.child.kill('SIGTERM');
    const code = await running[at]?.exit;
    const next = await run(ports[at]);
    running[at] = next;
    // Until the proxy sends requests there again, it has only the other process.
    await expect.poll(() => next.output.out).toContain('"route":"/api/apps/catalog"');
    return code;
  };
  return { ports, replace };
}

describe.each(PROXIES)('$name, as deploy/ has it', ({ name, probes, start }) => {
  it(
    'passes large uploads as they come, and real addresses, and goes around a process that stops',
    needs(isInstalled(name), `needs ${name}`),
    async () => {
      const store = await openTestStore({ environment: { SVC_TRUSTED_PROXIES: '127.0.0.1' } });
      const server = await listen(store, 0, '127.0.0.1');
      onTestFinished(() => server.close());
      const stopping = await stoppingProcess();
      const other = probes ? stopping.port : await freePort();
      const url = await startProxy(start, [other, server.port]);
      const status = () =>
        fetch(`${url}/healthz`).then(
          (answer) => answer.status,
          () => 0,
        );
      // Until the first probes, a proxy counts every process as ready.
      await expect
        .poll(async () => (await Promise.all([status(), status(), status()])).join())
        .toBe('200,200,200');
      const before = stopping.asked();
      for (let i = 0; i < 10; i += 1) expect(await status()).toBe(200);
      expect(stopping.asked()).toBe(before);

      // It is no zip, but the store has read all of it before it says so.
      const body = Buffer.alloc(LIMITS.bundle.bytes, 7);
      const headers = {
        authorization: `Bearer ${await store.publisherToken()}`,
        'content-type': 'application/zip',
      };
      // On a busy machine a probe may fail, and the other process gets the upload.
      await eventually(async () => {
        const refused = await fetch(`${url}/api/apps/publish`, { method: 'POST', headers, body });
        const { code } = (await refused.json()) as { code: string };
        expect([refused.status, code]).toEqual([400, 'invalid_bundle']);
      });
      await eventually(async () => expect(await unfinished(url)).toBe(401));

      // The client is at another address than the proxy, and lies about it.
      const make = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const json = JSON.stringify({ slug: 'behind', name: 'Behind' });
          const asked = request(`${url}/api/admin/publishers`, {
            method: 'POST',
            localAddress: '127.0.0.2',
            agent: false,
            headers: {
              authorization: `Bearer ${ADMIN_TOKEN}`,
              'content-type': 'application/json',
              'x-forwarded-for': '203.0.113.9',
            },
          });
          asked.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode));
          asked.end(json);
        });
      await eventually(async () => expect(await make()).toBe(201));
      const { entries } = await bodyOf(
        store.admin('GET', '/api/admin/audit?action=publisher.create&limit=1'),
      );
      expect(entries[0]).toMatchObject({ publisher: 'behind', address: '127.0.0.2' });
    },
  );
});

describe.each(PROXIES)('$name, with two processes of the store', ({ name, start }) => {
  const options = { ...DEEP, ...needs(isInstalled(name), `needs ${name}`) };
  it('answers every request and upload while they are replaced one after the other', options, async () => {
    const { ports, replace } = await twoProcesses();
    const url = await startProxy(start, ports);
    /** The status of an answer; what it says where a client should never see it. */
    const status = async (path: string, init?: RequestInit): Promise<string> => {
      const answer = await fetch(url + path, init);
      const text = await answer.text();
      return [200, 400].includes(answer.status)
        ? String(answer.status)
        : `${path}: ${answer.status} ${text.slice(0, 200)}`;
    };
    await expect.poll(() => status('/healthz').catch(String)).toBe('200');
    const body = Buffer.alloc(1024 * 1024, 7);
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/zip' };
    const statuses: string[] = [];
    let going = true;
    const client = async (ask: () => Promise<string>) => {
      while (going) statuses.push(await ask().catch(String));
    };
    const clients = [
      client(() => status('/healthz')),
      client(() => status('/api/apps/catalog')),
      // It is no zip, which a process says after it has read all of it.
      client(() => status('/api/apps/publish', { method: 'POST', headers, body })),
    ];
    expect([await replace(0), await replace(1)]).toEqual([0, 0]);
    going = false;
    await Promise.all(clients);
    expect(new Set(statuses)).toEqual(new Set(['200', '400']));
  });
});

it('the sample for Traefik names both processes, and probes /readyz', () => {
  const { loadBalancer } = parse(sample('traefik.yaml')).http.services.store;
  expect(loadBalancer.servers).toHaveLength(2);
  expect(loadBalancer.healthCheck.path).toBe(ROUTES.ready.path);
});
