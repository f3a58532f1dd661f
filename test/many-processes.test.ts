import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBucket, DEEP, needs, needsS3, type S3Server, sampleBundle, startS3Server } from '@svc/testkit';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifiedVersions } from '../apps/store/test/support/backup.ts';
import { emptyDatabase, freshDatabase } from '../apps/store/test/support/database.ts';
import { type Program, portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN, openTestStore } from '../apps/store/test/support/test-store.ts';
import { startBalancer } from './support/balancer.ts';
import { needsRelease, releasedStore } from './support/released-store.ts';

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
      SVC_BASE_URL: 'http://localhost',
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

/** A process of each version on one database and one folder: the newer one migrates the database while the older one runs. */
async function bothVersions() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-versions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = {
    PORT: '0',
    SVC_BASE_URL: 'http://localhost',
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    SVC_DATA_DIR: folder,
    DATABASE_URL: await emptyDatabase(),
  };
  const run = async (main?: string) => {
    const program = start(settings, [], '', main);
    return { ...program, call: callerOf(`http://127.0.0.1:${await portOf(program)}`) };
  };
  const older = await run(releasedStore());
  const admin = { token: ADMIN_TOKEN };
  const publisher = { slug: 'example', name: 'E', verified: true };
  await older.call('POST', '/api/admin/publishers', { ...admin, json: publisher });
  const made = await older.call('POST', '/api/admin/tokens', { ...admin, json: { publisher: 'example' } });
  const { token } = (await made.json()) as { token: string };
  return { older, newer: await run(), token };
}

describe('a process of version 0.1.0 and one of the newest on one PostgreSQL', needsRelease(), () => {
  it('both serve, publish, decide and yank, each what the other wrote', DEEP, async () => {
    const { older, newer, token } = await bothVersions();
    const answers: string[] = [];
    const both = { older, newer };
    for (const [name, other] of [
      ['older', 'newer'],
      ['newer', 'older'],
    ] as const) {
      const id = `com.example.${name}`;
      const send = async (by: typeof name, method: string, path: string, given: Parameters<Call>[2] = {}) => {
        const answer = await both[by].call(method, path, { token: ADMIN_TOKEN, ...given });
        const said = answer.ok ? '' : await answer.text();
        answers.push(`${answer.status} ${by} ${method} ${path} ${said}`.trim());
      };
      const bundle = (version: string, more = '') =>
        sampleBundle({ id: id + more, name: `The ${name}${more}`, version });
      await send(name, 'POST', '/api/apps/publish', { token, body: bundle('1.0.0') });
      await send(name, 'POST', '/api/apps/publish', { token, body: bundle('1.0.0', 'second') });
      await send(other, 'POST', `/api/moderation/apps/${id}/versions/1.0.0/approve`, { json: {} });
      await send(other, 'POST', `/api/moderation/apps/${id}second/versions/1.0.0/reject`, {
        json: { note: 'It does nothing.' },
      });
      await send(name, 'POST', '/api/apps/publish', { token, body: bundle('1.1.0') });
      for (const by of [name, other]) {
        for (const path of [
          '/',
          '/readyz',
          '/sign-up',
          '/api/apps/catalog?q=the',
          '/api/admin/audit',
          `/api/apps/${id}`,
        ])
          await send(by, 'GET', path);
        await send(by, 'GET', `/api/apps/${id}/versions/1.1.0/bundle`);
      }
      await send(name, 'POST', `/api/apps/${id}/versions/1.0.0/yank`, {
        json: { reason: 'It loses notes.' },
      });
      for (const { call } of [older, newer])
        expect((await call('GET', `/api/apps/${id}/versions/1.0.0/bundle`)).status).toBe(410);
    }
    expect(answers.filter((answer) => !/^20[01] /.test(answer))).toEqual([]);
    expect([older.output.err, newer.output.err].join('')).not.toContain('"level":50');
  });
});

/** The newest PostgreSQL of the machine, as Debian installs it: npm has only the server, and `pg_dump` must be as new as that. */
const installed = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);

/** A PostgreSQL of the machine with two empty databases, and a function that runs a command of the docs. */
async function installedServer(place: string) {
  const bin = installed ?? '';
  const programs = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  const server = await startPostgres(FAST_POSTGRES, programs);
  onTestFinished(() => server.close());
  for (const name of ['old', 'new']) await server.createDatabase(name);
  const run = (command: string, url: string, folder: string) => {
    const written = command.replaceAll('/backups', place).replaceAll('/var/lib/svc-store', folder);
    execFileSync('sh', ['-c', written], { env: { PATH: `${bin}:${process.env.PATH}`, DATABASE_URL: url } });
  };
  return { from: `${server.url}old`, to: `${server.url}new`, run };
}

/** The commands that a comment of docs/backup.md names. */
async function commandsOf(name: string): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '../docs/backup.md'), 'utf8');
  const [, commands = ''] = new RegExp(`<!-- ${name} -->\\n+\`\`\`sh\\n([^\`]+)\`\`\``).exec(page) ?? [];
  return commands.trim().split('\n');
}

describe('a store on PostgreSQL and a folder', needs(installed !== undefined, 'needs pg_dump'), () => {
  it('is restored on another machine by the commands of the docs', DEEP, async () => {
    const place = await mkdtemp(join(tmpdir(), 'svc-recipe-'));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const { from, to, run } = await installedServer(place);
    const [dump, copy, ...restore] = await commandsOf('pg');
    expect(restore).toHaveLength(2);
    const store = await openTestStore({ environment: { DATABASE_URL: from } });
    const token = await store.publisherToken('example', true);
    await store.publish(token, {});
    await store.decide('approve', '1.0.0');
    await store.publish(token, { version: '1.1.0' });
    run(dump ?? '', from, store.folder);
    // A bundle that is published between the two commands is in the folder alone: it is swept after a restore.
    await store.publish(token, { version: '1.2.0' });
    run(copy ?? '', from, store.folder);
    const other = join(place, 'other');
    await mkdir(other);
    for (const command of restore) run(command, to, other);
    await cp(join(store.folder, 'keys'), join(other, 'keys'), { recursive: true });
    const restored = await openTestStore({ folder: other, environment: { DATABASE_URL: to } });
    expect(restored.keyId).toBe(store.keyId);
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0']);
    await restored.publish(token, { version: '1.3.0' });
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0', '1.3.0']);
  });
});

describe.each(['SQLite', 'PostgreSQL'])('a store on %s and a bucket', needsS3(), (database) => {
  const options =
    database === 'SQLite' ? DEEP : { ...DEEP, ...needs(installed !== undefined, 'needs pg_dump') };
  it('is restored by the commands of the docs and a copy of the bucket', options, async () => {
    const place = await mkdtemp(join(tmpdir(), 'svc-recipe-'));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const s3 = await startS3Server();
    onTestFinished(() => s3.stop());
    const server = database === 'SQLite' ? null : await installedServer(place);
    const settings = (url: string | undefined, bucket: string) => ({
      DATABASE_URL: url ?? '',
      SVC_BLOBS: `s3://${bucket}?endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
    const store = await openTestStore({ environment: settings(server?.from, s3.bucket) });
    const token = await store.publisherToken('example', true);
    await store.publish(token, {});
    await store.decide('approve', '1.0.0');
    const [dump = '', , restore = ''] = await commandsOf('pg');
    const [copy = ''] = await commandsOf('sqlite');
    if (server) server.run(dump, server.from, store.folder);
    else {
      const written = copy.replaceAll('/backups', place).replaceAll('/var/lib/svc-store', store.folder);
      execFileSync('sh', ['-c', written], { env: { PATH: process.env.PATH } });
    }
    await store.publish(token, { version: '1.1.0' });
    expect(await copyBucket(s3, s3.bucket, 'restored')).toBeGreaterThan(2);
    server?.run(restore, server.to, store.folder);
    await cp(join(store.folder, 'keys'), join(place, 'keys'), { recursive: true });
    const restored = await openTestStore({ folder: place, environment: settings(server?.to, 'restored') });
    expect(restored.keyId).toBe(store.keyId);
    expect(await verifiedVersions(restored)).toEqual(['1.0.0']);
  });
});
