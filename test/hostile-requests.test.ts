import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment, DEEP, freePort, needs, ownProgram } from '@svc/testkit';
import { attack, faultsIn, storeTargets, type Target } from '@svc/testkit/hostile-requests';
import { describe, expect, it, onTestFinished } from 'vitest';
import { randomOf } from '../tools/torture/random.ts';

const ROOT = join(import.meta.dirname, '..');
const ADMIN_TOKEN = 'hostile-requests-0123456789';
const SEED = 1;

type Program = { child: ChildProcess; folder: string; said(): string };

/** Starts a program of this repository in a folder of its own, and ends it after the test. */
function start(
  words: (folder: string) => string[],
  environment: (folder: string) => Record<string, string>,
): Program {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
  const env = { ...bareEnvironment(), HOME: folder, ...environment(folder) };
  const child = spawn(process.execPath, words(folder), { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  // Beginning and end: the log of the requests is long.
  const keep = (piece: Buffer) => {
    said += piece;
    if (said.length > 400_000) said = said.slice(0, 2_000) + said.slice(-300_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return { child, folder, said: () => said };
}

/** Waits for a pattern in the output. */
async function saying({ said }: Program, pattern: RegExp): Promise<string> {
  await expect.poll(said).toMatch(pattern);
  return pattern.exec(said())?.[1] as string;
}

async function runningStore() {
  const port = await freePort();
  const store = start(
    () => [ownProgram('store')],
    (folder) => ({
      PORT: String(port),
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      // Each request comes from another address, so that no rate limit keeps it from being read.
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'warn',
    }),
  );
  await saying(store, /(The store is at)/);
  return { ...store, port };
}

/** The calls of the page of the desktop, from the modules that answer them. */
const pageCalls = (): string[] => {
  const folder = join(ROOT, 'apps/desktop/src/page-api');
  return readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^ {4}'([a-z]+\.\w+)': /gm)].map(
      ([, name = '']) => name,
    ),
  );
};

const desktopTargets = (): Target[] => [
  ...pageCalls().map((name) => ({ method: 'POST', path: `/api/${name}`, type: 'application/json' })),
  ...[
    '/events',
    '/',
    '/files/:id',
    '/attachments/:id',
    '/card-files/:id/0',
    '/icons/:id',
    '/marks/:id',
    '/pictures/:sha/:file',
  ].map((path) => ({ method: 'GET', path, type: null })),
  { method: 'POST', path: '/uploads', type: 'application/octet-stream' },
  ...['/mcp', '/mcp/'].flatMap((path) =>
    ['POST', 'GET', 'DELETE'].map((method) => ({ method, path, type: 'application/json' })),
  ),
  { method: 'GET', path: '/mcp/connect/:id', type: null },
];

/** The endpoints for programs of the same user. */
const programTargets = (): Target[] =>
  ['/control/hello', '/control/link', '/control/:x', '/mcp'].map((path) => ({
    method: 'POST',
    path,
    type: 'application/json',
  }));

async function runningDesktop() {
  const desktop = start(
    (folder) => [
      ownProgram('desktop'),
      'desktop',
      '--no-open',
      '--key-file',
      '--folder',
      join(folder, 'desktop'),
      '--port',
      '0',
    ],
    () => ({ SVC_STORE: 'http://127.0.0.1:1' }),
  );
  const link = await saying(desktop, /^Desktop: (\S+)$/m);
  const { port } = new URL(link);
  const key = /#key=([\w-]+)/.exec(link)?.[1];
  const answer = await fetch(`http://localhost:${port}/api/session.open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const { bearer } = (await answer.json()) as { bearer: string };
  return { ...desktop, port: Number(port), bearer };
}

/** Expects that the process is the same, answers, and reported no error that was not caught. */
async function expectAlive({ child, said }: Program, ask: () => Promise<Response>): Promise<void> {
  // The last callbacks of the attacked connections run within the time limits of the server.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  expect((await ask()).status).toBe(200);
  expect(faultsIn(said())).toEqual([]);
}

/** Requests on one connection in the deep run, where a connection for each of them would take an hour. A server ends one with many more. */
const REUSE = 30;

async function attackStore(count: number, reuse = 0): Promise<void> {
  const store = await runningStore();
  const { requests, hangs, statuses } = await attack({
    port: store.port,
    targets: storeTargets(),
    ...{ count, reuse },
    random: randomOf(SEED),
    credentials: [
      `authorization: Bearer ${ADMIN_TOKEN}`,
      '',
      `authorization: Bearer ${ADMIN_TOKEN}`,
      'authorization: Bearer svcp_x',
      'authorization: \0',
    ],
    isOver: () => store.child.exitCode !== null,
  });
  await expectAlive(store, () => fetch(`http://127.0.0.1:${store.port}/readyz`));
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const metrics = await (await fetch(`http://127.0.0.1:${store.port}/metrics`, { headers })).text();
  expect(metrics).toMatch(/^svc_uncaught_total 0$/m);
  expect(hangs).toEqual([]);
  expect(requests).toBeGreaterThanOrEqual(count);
  // The attacks got through to the routes.
  for (const status of [200, 400, 401, 404, 413, 415]) expect([...statuses.keys()]).toContain(status);
}

async function attackDesktop(count: number, reuse = 0): Promise<void> {
  expect(pageCalls().length).toBeGreaterThan(100);
  const desktop = await runningDesktop();
  const { hangs, statuses } = await attack({
    host: '127.0.0.1',
    port: desktop.port,
    targets: desktopTargets(),
    ...{ count, reuse },
    random: randomOf(SEED),
    credentials: ['', `authorization: Bearer ${desktop.bearer}`, 'authorization: Bearer x'],
    isOver: () => desktop.child.exitCode !== null,
  });
  await expectAlive(desktop, () =>
    fetch(`http://localhost:${desktop.port}/api/client.show`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${desktop.bearer}` },
      body: '{}',
    }),
  );
  expect(hangs).toEqual([]);
  for (const status of [400, 401, 404, 413]) expect([...statuses.keys()]).toContain(status);
}

/** Attacks the socket of the desktop, as a faulty program of the same user may. */
async function attackSocket(count: number): Promise<void> {
  const { child, folder, said, port } = await runningDesktop();
  const control = JSON.parse(readFileSync(join(folder, 'desktop', 'desktop.json'), 'utf8')) as Record<
    'socket' | 'bearer',
    string
  >;
  const { hangs, statuses } = await attack({
    port,
    socket: control.socket,
    targets: programTargets(),
    count,
    random: randomOf(SEED),
    credentials: ['', `authorization: Bearer ${control.bearer}`, 'authorization: Bearer x'],
    isOver: () => child.exitCode !== null,
  });
  await expectAlive({ child, folder, said }, () => fetch(`http://localhost:${port}/`));
  expect(hangs).toEqual([]);
  for (const status of [400, 401, 404, 413]) expect([...statuses.keys()]).toContain(status);
}

/** The most memory that a process ever had, in MiB. */
const mostMemory = ({ child }: Program): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Sends thousands of requests at once on each of many connections, all of which must end soon. */
async function attackTogether(program: Program, port: number, path: string): Promise<void> {
  const before = mostMemory(program);
  const text = `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`.repeat(2_400);
  const send = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.resume().write(text);
    await new Promise((resolve) => socket.once('close', resolve));
  };
  await Promise.all(Array.from({ length: 500 }, send));
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200);
  expect(mostMemory(program) - before).toBeLessThan(400);
}

describe(
  'thousands of requests at once on each connection take little memory',
  needs(process.platform === 'linux', 'needs /proc'),
  () => {
    it('of the store', async () => {
      const store = await runningStore();
      await attackTogether(store, store.port, '/cli.tgz');
    });
    it('of the desktop', DEEP, async () => {
      const desktop = await runningDesktop();
      await attackTogether(desktop, desktop.port, '/');
    });
  },
);

describe('no request on a raw socket ends or hangs', { timeout: 300_000 }, () => {
  it('the store', () => attackStore(1_500));
  it('the desktop', () => attackDesktop(2_000));
  it('the desktop, on its socket', DEEP, () => attackSocket(500));
});

/** The time limit stands at the test itself: that of the tag comes before the one of a suite. */
const LONG = { ...DEEP, timeout: 3_600_000 };

describe('nor do many', () => {
  it('the store', LONG, () => attackStore(200_000, REUSE));
  it('the desktop', LONG, () => attackDesktop(200_000, REUSE));
});
