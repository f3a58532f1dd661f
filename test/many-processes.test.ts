import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, needsS3, type S3Server, sampleBundle, startS3Server } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifiedVersions } from '../apps/store/test/support/backup.ts';
import { freshDatabase } from '../apps/store/test/support/database.ts';
import { type Program, portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../apps/store/test/support/test-store.ts';
import { startBalancer } from './support/balancer.ts';

type Call = (
  method: string,
  path: string,
  given?: { token?: string; json?: unknown; body?: Uint8Array },
) => Promise<Response>;

/** Returns a function that sends requests to a store. */
const callerOf =
  (origin: string): Call =>
  (method, path, { token, json, body } = {}) =>
    fetch(origin + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/zip' }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });

type Process = Program & { port: number; call: Call };

describe('the processes of compose.yaml', needsS3(), () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3Server();
  });
  afterAll(() => s3?.stop());

  /** Two processes on one PostgreSQL and one bucket, behind a balancer, and a developer's token. */
  async function started() {
    const folder = await mkdtemp(join(tmpdir(), 'svc-many-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const shared = {
      PORT: '0',
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_SIGNING_KEY_FILE: join(folder, 'keys', 'signing-key.pem'),
      DATABASE_URL: await freshDatabase(),
      SVC_BLOBS: `s3://apps-${folder
        .slice(-6)
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '0')}?endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    };
    // Twice, like a second `docker compose up`.
    for (let times = 0; times < 2; times += 1) {
      const prepare = start({ ...shared, SVC_DATA_DIR: join(folder, 'none') }, ['prepare']);
      expect([await prepare.exit, prepare.output.err]).toEqual([0, expect.stringContaining('It signs with')]);
    }
    const run = async (name: string): Promise<Process> => {
      const program = start({ ...shared, SVC_DATA_DIR: join(folder, name) });
      const port = await portOf(program);
      return { ...program, port, call: callerOf(`http://127.0.0.1:${port}`) };
    };
    const [one, two] = await Promise.all([run('one'), run('two')]);
    const ports = [one.port, two.port];
    const balancer = await startBalancer(ports);
    onTestFinished(balancer.close);
    const call = callerOf(balancer.url);
    const admin = { token: ADMIN_TOKEN };
    await call('POST', '/api/admin/publishers', {
      ...admin,
      json: { slug: 'example', name: 'E', verified: true },
    });
    const made = await call('POST', '/api/admin/tokens', { ...admin, json: { publisher: 'example' } });
    const { token } = (await made.json()) as { token: string };
    const publish = async (version: string) =>
      (await call('POST', '/api/apps/publish', { token, body: sampleBundle({ version }) })).status;
    expect(await publish('1.0.0')).toBe(201);
    const approve = '/api/moderation/apps/com.example.notes/versions/1.0.0/approve';
    expect((await call('POST', approve, admin)).status).toBe(200);
    return { one, two, ports, run, call, publish };
  }

  it('publish through either process, serve from both, and continue when one is killed', DEEP, async () => {
    const { one, two, call, publish } = await started();
    for (const version of ['1.1.0', '1.2.0']) expect(await publish(version)).toBe(201);
    for (const each of [one, two]) {
      expect(await verifiedVersions(each)).toEqual(['1.0.0', '1.1.0', '1.2.0']);
    }
    one.child.kill('SIGKILL');
    await one.exit;
    for (const version of ['1.3.0', '1.4.0']) expect(await publish(version)).toBe(201);
    expect(await verifiedVersions({ call })).toEqual(['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0']);
  });

  it('are replaced one after the other during uploads, without a refused request', DEEP, async () => {
    const { one, two, ports, run, call, publish } = await started();
    let going = true;
    const statuses: number[] = [];
    const publishing = (async () => {
      for (let n = 1; going && n < 19; n += 1) statuses.push(await publish(`1.${n}.0`));
    })();
    const reading = (async () => {
      while (going)
        statuses.push((await call('GET', '/api/apps/com.example.notes/versions/1.0.0/bundle')).status);
    })();
    for (const [i, old] of [one, two].entries()) {
      const next = await run(`next-${i}`);
      // A balancer also polls readiness, and has 5 seconds to detect a stopping process.
      expect((await old.call('GET', '/readyz')).status).toBe(200);
      ports[i] = next.port;
      old.child.kill('SIGTERM');
      expect(await old.exit).toBe(0);
    }
    going = false;
    await Promise.all([publishing, reading]);
    expect(new Set(statuses)).toEqual(new Set([200, 201]));
    const published = statuses.filter((status) => status === 201).length + 1;
    expect(await verifiedVersions({ call })).toHaveLength(published);
  });
});
