import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULT } from '@svc/contracts/guarded';
import { expect, it, onTestFinished } from 'vitest';
import { portOf, start } from '../support/program.ts';
import { ADMIN_TOKEN } from '../support/test-store.ts';

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
])('finishes the open requests and exits with 1 when a callback %s', async (_, code) => {
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
