import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEEP, sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stop } from '../../src/composition/serve.ts';
import { portOf, start } from '../support/program.ts';
import { ADMIN_TOKEN } from '../support/test-store.ts';

type Answer = { status: number | undefined; connection: string | undefined };

/** A running store with a token of a developer. */
async function running() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = start({ PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN });
  const port = await portOf(store);
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const admin = (path: string, json: unknown) =>
    ask(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
  await admin('/api/admin/publishers', { slug: 'example', name: 'Example' });
  const made = await admin('/api/admin/tokens', { publisher: 'example' });
  const { token } = (await made.json()) as { token: string };

  /** Begins an upload and sends a part of it, and the rest when the test calls `finish`. */
  async function slowUpload() {
    const bytes = sampleBundle();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const headers = { 'content-type': 'application/zip', authorization: `Bearer ${token}` };
    const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/api/apps/publish', headers };
    const outgoing = request(options);
    const answer = new Promise<Answer>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        resolve({ status: response.statusCode, connection: response.headers.connection });
        response.resume();
      });
    });
    answer.catch(() => {});
    outgoing.write(bytes.subarray(0, 100));
    await expect.poll(() => readdir(join(folder, 'incoming'))).toHaveLength(1);
    /** Sends endless invalid data, fast enough not to be aborted. */
    const dripOn = () => {
      const drip = setInterval(() => outgoing.write(Buffer.alloc(32 * 1024)), 250);
      outgoing.once('close', () => clearInterval(drip));
    };
    return { answer, dripOn, finish: () => void outgoing.end(bytes.subarray(100)) };
  }
  return { ...store, port, ask, slowUpload };
}

const refused = { cause: { code: 'ECONNREFUSED' } };

describe('a store that stops', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes an upload in progress at %s, and accepts no connections',
    DEEP,
    async (signal) => {
      const store = await running();
      const upload = await store.slowUpload();
      // Browsers open connections in advance, without a request.
      const silent = connect(store.port, '127.0.0.1');
      const ended = new Promise((done) => silent.once('close', done));
      await new Promise((done) => silent.once('connect', done));
      store.child.kill(signal);
      await ended;
      await expect(store.ask('/healthz')).rejects.toMatchObject(refused);
      expect(store.child.exitCode).toBeNull();
      upload.finish();
      expect(await upload.answer).toEqual({ status: 201, connection: 'close' });
      expect(await store.exit).toBe(0);
    },
  );

  it('is not ready at once, and serves requests until a load balancer has had time to react', async () => {
    const store = await running();
    const upload = await store.slowUpload();
    expect((await store.ask('/readyz')).status).toBe(200);
    store.child.kill('SIGTERM');
    await expect.poll(async () => (await store.ask('/readyz')).status).toBe(503);
    const page = await store.ask('/api/apps/catalog');
    expect([page.status, page.headers.get('connection')]).toEqual([200, 'close']);
    await expect
      .poll(() =>
        store.ask('/healthz').then(
          () => 'served',
          (error) => error.cause.code,
        ),
      )
      .toBe('ECONNREFUSED');
    upload.finish();
    expect((await upload.answer).status).toBe(201);
    expect(await store.exit).toBe(0);
  });

  it('treats three signals at once as one Ctrl-C, and a later signal as a second one', DEEP, async () => {
    const store = await running();
    const upload = await store.slowUpload();
    for (let i = 0; i < 3; i += 1) store.child.kill('SIGINT');
    await sleep(1_000);
    expect(store.child.exitCode).toBeNull();
    store.child.kill('SIGINT');
    expect(await store.exit).toBe(1);
    await expect(upload.answer).rejects.toThrow();
  });

  it('exits with 1 when a client does not finish in time', { ...DEEP, timeout: 60_000 }, async () => {
    const store = await running();
    (await store.slowUpload()).dripOn();
    const asked = performance.now();
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(1);
    expect(performance.now() - asked).toBeGreaterThan(29_000);
    expect(store.output.out).toContain('they took too long');
  });

  it('closes the server, the store and the inspector in this order', async () => {
    const steps: string[] = [];
    const step = (name: string) => async () => void steps.push(name);
    await stop({
      server: { endConnections: () => void steps.push('end connections'), close: step('close server') },
      store: {
        readiness: { end: () => steps.push('not ready') > 1 },
        close: step('close store'),
      },
      inspector: { close: step('close inspector') },
    });
    expect(steps).toEqual(['not ready', 'end connections', 'close server', 'close store', 'close inspector']);
  });
});
