import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, sampleBundle } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../apps/store/test/support/test-store.ts';

type Call = (
  path: string,
  given?: { token?: string; json?: unknown; body?: Uint8Array },
) => Promise<Response>;

/** Starts a store on a data folder. */
async function run(folder: string) {
  const program = start({
    ...{ PORT: '0', SVC_BASE_URL: 'http://localhost' },
    ...{ SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN },
  });
  const origin = `http://127.0.0.1:${await portOf(program)}`;
  const call: Call = (path, { token, json, body } = {}) =>
    fetch(origin + path, {
      method: json === undefined && body === undefined ? 'GET' : 'POST',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        'content-type': body ? 'application/zip' : 'application/json',
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body && { body: body as Uint8Array<ArrayBuffer> }),
    });
  return { ...program, call };
}

const idOf = (n: number): string => `com.example.app${n}`;

it(
  'two processes on one SQLite folder lose no acknowledged upload, even when one of them is killed',
  DEEP,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-one-folder-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const one = await run(folder);
    const two = await run(folder);
    const both = [one, two];
    const admin = { token: ADMIN_TOKEN };
    await one.call('/api/admin/publishers', {
      ...admin,
      json: { slug: 'example', name: 'E', verified: true },
    });
    const made = await two.call('/api/admin/tokens', { ...admin, json: { publisher: 'example' } });
    const { token } = (await made.json()) as { token: string };

    // Of the same version, uploaded to both, one is accepted. Other versions, uploaded in turns, are all accepted.
    const same = sampleBundle({ id: idOf(0), name: 'App 0' });
    const races = await Promise.all(both.map(({ call }) => call('/api/apps/publish', { token, body: same })));
    expect(races.map(({ status }) => status).sort()).toEqual([201, 409]);
    const publish = (n: number) =>
      (both[n % 2] as typeof one).call('/api/apps/publish', {
        token,
        body: sampleBundle({ id: idOf(n), name: `App ${n}` }),
      });
    const answers = await Promise.all([1, 2, 3, 4].map(publish));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const approve = (n: number, { call }: typeof one) =>
      call(`/api/moderation/apps/${idOf(n)}/versions/1.0.0/approve`, { ...admin, json: {} });
    for (let n = 0; n < 5; n += 1)
      expect((await approve(n, both[(n + 1) % 2] as typeof one)).status).toBe(200);

    // One is killed during an upload; the other continues, and has all acknowledged uploads.
    const cutOff = one.call('/api/apps/publish', {
      token,
      body: sampleBundle({ id: idOf(5), name: 'App 5' }),
    });
    one.child.kill('SIGKILL');
    const acknowledged = await cutOff.then(
      ({ status }) => status === 201,
      () => false,
    );
    expect(
      (await two.call('/api/apps/publish', { token, body: sampleBundle({ id: idOf(6), name: 'App 6' }) }))
        .status,
    ).toBe(201);
    const status = await two.call(`/api/apps/${idOf(5)}/versions/1.0.0/status`);
    if (acknowledged) expect(status.status).toBe(200);
    const { total } = (await (await two.call('/api/apps/catalog')).json()) as { total: number };
    expect(total).toBe(5);
    for (let n = 0; n < 5; n += 1) {
      const bundle = await two.call(`/api/apps/${idOf(n)}/versions/1.0.0/bundle`);
      const sha256 = createHash('sha256')
        .update(Buffer.from(await bundle.arrayBuffer()))
        .digest('hex');
      expect(bundle.headers.get('x-svc-sha256')).toBe(sha256);
    }
    two.child.kill('SIGTERM');
    expect(await two.exit).toBe(0);
  },
);
