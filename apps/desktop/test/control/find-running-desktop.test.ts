import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findRunningDesktop } from '../../src/control/find-running-desktop.ts';
import { ask } from '../support/ask.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openTestDesktop } from '../support/test-desktop.ts';

const deps = { fetch, system: { randomBytes } };
const controlOf = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'desktop.json'), 'utf8'));
const write = (folder: string, control: unknown) =>
  writeFile(path.join(folder, 'desktop.json'), JSON.stringify(control), { mode: 0o600 });

/** A program on the port of a former desktop, with the responses of the test. */
async function impostor(answer: (heard: { path: string; bearer: string | undefined }) => object) {
  const heard: { path: string; bearer: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const one = { path: request.url ?? '', bearer: request.headers.authorization };
    heard.push(one);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(one)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard };
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

it('detects another program on the port, and does not send it the bearer token', async () => {
  const folder = await tempFolder();
  const bearer = randomBytes(32).toString('base64url');
  for (const answer of [{}, { proof: bearer }, { proof: '' }]) {
    const { port, heard } = await impostor(() => ({ ...answer, link: 'http://localhost:1/#key=theirs' }));
    await write(folder, { port, pid: 1, bearer });
    expect(await findRunningDesktop(folder, deps)).toBeNull();
    expect(heard).toEqual([{ path: '/control/hello', bearer: undefined }]);
  }
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
