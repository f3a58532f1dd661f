import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { needs } from '@svc/testkit';
import { accessibleIn } from '@svc/testkit/private-tree';
import { expect, it, onTestFinished } from 'vitest';
import { findRunningDesktop } from '../../src/control/find-running-desktop.ts';
import { agentBearer } from '../../src/gateway/agent-bearer.ts';
import { ask } from '../support/ask.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openTestDesktop } from '../support/test-desktop.ts';

const NEEDS_SOCKETS = needs(process.platform !== 'win32', 'needs Unix domain sockets');

const deps = { system: { randomBytes } };
const controlOf = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'desktop.json'), 'utf8'));
const write = (folder: string, control: unknown) =>
  writeFile(path.join(folder, 'desktop.json'), JSON.stringify(control), { mode: 0o600 });

/** A program of another user at an address of a former desktop, with the responses of the test. */
async function impostor(at: { port: number } | { path: string }, answer: object = {}) {
  const heard: { path: string; bearer: string | undefined }[] = [];
  const server = createServer((request, response) => {
    heard.push({ path: request.url ?? '', bearer: request.headers.authorization });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen({ ...at, host: '127.0.0.1' }, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return heard;
}

it('finds the desktop of a folder, and gets a link from it', async () => {
  const { folder, port, opened } = await openTestDesktop();
  const running = await findRunningDesktop(folder, deps);
  expect(running).toMatchObject({ origin: `http://localhost:${port}`, pid: process.pid });
  const link = await running?.newLink();
  const [, key = ''] = (link ?? '').split('#key=');
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(port, {
    method: 'POST',
    path: '/api/session.open',
    headers,
    body: JSON.stringify({ key }),
  });
  expect(answer.status).toBe(200);
  await opened.close();
  expect(await findRunningDesktop(folder, deps)).toBeNull();
  await expect(readFile(path.join(folder, 'desktop.json'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('finds none when nothing listens on the port, or when the file is missing or invalid', async () => {
  const folder = await tempFolder();
  expect(await findRunningDesktop(folder, deps)).toBeNull();
  const { folder: other, opened } = await openTestDesktop();
  const left = await controlOf(other);
  await opened.close();
  for (const control of [left, { ...left, port: 0 }, { ...left, bearer: '' }, 'text', null]) {
    await write(folder, control);
    expect(await findRunningDesktop(folder, deps)).toBeNull();
  }
});

it('sends nothing to a program that takes the port of a desktop that was killed', async () => {
  const { folder, port, opened } = await openTestDesktop();
  const left = await controlOf(folder);
  await opened.close();
  await write(folder, left);
  const heard = await impostor({ port });
  expect(await findRunningDesktop(folder, deps)).toBeNull();
  expect(heard).toEqual([]);
});

it('loses the session, and sends nothing, when another program takes the port of its desktop', async () => {
  const { folder, port, opened } = await openTestDesktop();
  const running = (await findRunningDesktop(folder, deps)) ?? expect.fail();
  await opened.close();
  const heard = await impostor({ port });
  const bearer = await readFile(path.join(folder, 'agent-bearer'), 'utf8');
  const headers = { authorization: `Bearer ${bearer.trim()}` };
  await expect(running.fetch('http://localhost/mcp', { method: 'POST', headers })).rejects.toThrow();
  await expect(running.newLink()).rejects.toThrow();
  expect(heard).toEqual([]);
});

it('makes the bearer that an agent sent to another program on its port useless, and gives the agent the new one', async () => {
  const { folder, port, opened } = await openTestDesktop();
  const home = await tempFolder();
  const config = path.join(home, '.cursor', 'mcp.json');
  await mkdir(path.dirname(config));
  const bearerIn = (text: string) => /Bearer ([\w-]{43})/.exec(text)?.[1] ?? '';
  const first = await agentBearer(folder);
  const entry = {
    url: `http://localhost:${port}/mcp?provider=cursor`,
    headers: { Authorization: `Bearer ${first}` },
  };
  await writeFile(config, JSON.stringify({ mcpServers: { svc: entry } }), { mode: 0o600 });
  const list = (at: number, bearer: string) =>
    ask(at, {
      method: 'POST',
      path: '/mcp?provider=cursor',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
  expect((await list(port, first)).status).not.toBe(401);
  await opened.close();
  const heard = await impostor({ port });
  await list(port, first);
  expect(heard.map(({ bearer }) => bearer)).toEqual([`Bearer ${first}`]);
  // The port is taken: the desktop has another one, which the agent learns from its configuration.
  const agents = { places: { home, env: {} }, program: ['/usr/bin/node'] as const };
  const again = await openTestDesktop({ folder, agents });
  expect(again.port).not.toBe(port);
  expect((await list(again.port, first)).status).toBe(401);
  const text = await readFile(config, 'utf8');
  expect(text).toContain(`http://localhost:${again.port}/mcp?provider=cursor`);
  expect((await list(again.port, bearerIn(text))).status).not.toBe(401);
});

it('detects another program on the socket, and does not send it the bearer', NEEDS_SOCKETS, async () => {
  const bearer = randomBytes(32).toString('base64url');
  for (const answer of [{}, { proof: bearer }, { proof: '' }]) {
    const folder = await tempFolder();
    const socket = path.join(folder, 's');
    const heard = await impostor({ path: socket }, { ...answer, link: 'http://localhost:1/#key=theirs' });
    await write(folder, { socket, port: 1, pid: 1, bearer });
    expect(await findRunningDesktop(folder, deps)).toBeNull();
    expect(heard).toEqual([{ path: '/control/hello', bearer: undefined }]);
  }
});

it(
  'keeps its socket out of the reach of other users, also in a folder with a long path',
  NEEDS_SOCKETS,
  async () => {
    const folder = path.join(await tempFolder(), 'a'.repeat(100));
    const { opened } = await openTestDesktop({ folder });
    const { socket } = await controlOf(folder);
    expect(path.dirname(socket)).not.toBe(folder);
    expect(accessibleIn(path.dirname(socket))).toEqual([]);
    expect(await findRunningDesktop(folder, deps)).not.toBeNull();
    await opened.close();
    expect(existsSync(path.dirname(socket))).toBe(false);
  },
);

it('removes the sockets of desktops that were killed, and of no other', NEEDS_SOCKETS, async () => {
  const { folder } = await openTestDesktop();
  const { socket } = await controlOf(folder);
  const stale = path.join(folder, `desktop-${'x'.repeat(16)}.sock`);
  await writeFile(stale, '');
  await openTestDesktop({ folder });
  expect([socket, stale].map((file) => existsSync(file))).toEqual([true, false]);
});

it('detects another desktop on the port', async () => {
  const { folder, port } = await openTestDesktop();
  const control = await controlOf(folder);
  const elsewhere = await tempFolder();
  await write(elsewhere, { ...control, bearer: randomBytes(32).toString('base64url') });
  expect(control.port).toBe(port);
  expect(await findRunningDesktop(elsewhere, deps)).toBeNull();
});

it('does not delete the file of another desktop when it closes', async () => {
  const { folder, opened } = await openTestDesktop();
  const theirs = { ...(await controlOf(folder)), bearer: randomBytes(32).toString('base64url') };
  await write(folder, theirs);
  await opened.close();
  expect(await controlOf(folder)).toEqual(theirs);
});
