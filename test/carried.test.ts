import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuntime, type Runtime } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/store-client';
import { DEEP, freePort, sampleBundle } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../apps/store/test/support/test-store.ts';
import { serveFolder } from './support/serve-folder.ts';

const APP = 'com.example.notes';
const ALL = { which: 'all', apps: [], categories: [], how: 'all', grants: [] };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-carried-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a process of its own, which a test kills and starts again. */
async function realStore(database: Record<string, string>) {
  const [folder, port] = [newFolder(), await freePort()];
  const address = `http://127.0.0.1:${port}`;
  const settings = {
    ...{ SVC_DATA_DIR: folder, SVC_BASE_URL: address, PORT: String(port), SVC_ADMIN_TOKEN: ADMIN_TOKEN },
    ...database,
  };
  let running: Program | null = null;
  const call = async (method: string, path: string, json?: unknown) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await fetch(address + path, { method, headers, ...body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  async function on() {
    running = start(settings);
    await portOf(running);
  }
  async function kill() {
    running?.child.kill('SIGKILL');
    await running?.exit;
    running = null;
  }
  await on();
  return {
    ...{ address, folder, call, on, kill },
    /** What `kill -9` leaves is what the next process finds. */
    async again() {
      await kill();
      await on();
    },
    /** Runs `svc-store` beside it. */
    program: (...words: string[]) => start(settings, words),
    async command(...words: string[]): Promise<string> {
      const { exit, output } = start(settings, words);
      if ((await exit) !== 0) throw new Error(`svc-store ${words.join(' ')}: ${output.out}${output.err}`);
      return output.out;
    },
  };
}

type RealStore = Awaited<ReturnType<typeof realStore>>;

async function publish({ address, call }: RealStore, token: string, version: string): Promise<void> {
  const response = await fetch(`${address}/api/apps/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
    body: sampleBundle({ id: APP, version, publisher: 'example' }) as Uint8Array<ArrayBuffer>,
  });
  const { status } = (await response.json()) as { status: string };
  if (status === 'in_review')
    await call('POST', `/api/moderation/apps/${APP}/versions/${version}/approve`, {});
}

async function clientOf({ address }: RealStore, mirrors: string[] = []): Promise<Runtime> {
  const runtime = await openRuntime({
    ...{ folder: newFolder(), store: address, mirrors, localApps: true, system: defaultSystem },
    ask: async () => ({ accepted: false }),
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function install(runtime: Runtime): Promise<void> {
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
}

const latestIs = (store: RealStore, version: string) =>
  eventually(async () => expect((await store.call('GET', `/api/apps/${APP}`)).version).toBe(version));

/** Databases for stores, each empty: of a server that ends after the test, or none for SQLite. */
async function databases(isPostgres: boolean): Promise<(name: string) => Promise<Record<string, string>>> {
  if (!isPostgres) return async () => ({});
  const server = await startPostgres(FAST_POSTGRES);
  onTestFinished(() => server.close());
  return async (name) => {
    await server.createDatabase(name);
    return { DATABASE_URL: server.url + name };
  };
}

describe.each([
  ['SQLite', false],
  ['PostgreSQL', true],
] as const)('three stores and their clients, on %s', (_name, isPostgres) => {
  it('go on after kill -9 of each at each step', DEEP, async () => {
    const database = await databases(isPostgres);
    const [open, company] = [
      await realStore(await database('open')),
      await realStore(await database('company')),
    ];
    await open.call('POST', '/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
    const { token } = await open.call('POST', '/api/admin/tokens', { publisher: 'example' });
    await publish(open, token, '1.0.0');
    // 1. The company carries the app, and is killed before it has.
    const { keyId } = await open.call('GET', '/api/apps/public-key');
    await company.call('POST', '/api/admin/upstreams', { address: open.address, keyId, choices: ALL });
    await company.again();
    await latestIs(company, '1.0.0');
    const client = await clientOf(company);
    await install(client);
    // 2. An update: the public store is killed after it answered, the company while it reads.
    await publish(open, token, '1.1.0');
    await open.again();
    await company.again();
    await latestIs(company, '1.1.0');
    // 3. A yank: both are killed once it is acknowledged.
    await open.call('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await open.again();
    await company.again();
    await eventually(async () => {
      const { entries } = await company.call('GET', '/api/apps/revocations');
      expect(entries).toMatchObject([{ appId: APP, version: '1.0.0' }]);
    });
    await client.revocations.check();
    expect(client.library.get(APP)?.yanked).toMatchObject({ reason: 'It lost notes.' });
    // 4. Behind an air gap: the export and the import are killed, and go on.
    const inside = await realStore(await database('inside'));
    const file = join(newFolder(), 'apps.svcx');
    const exported = company.program('upstream', 'export', open.address, '-o', file);
    await new Promise((resolve) => setTimeout(resolve, 300));
    exported.child.kill('SIGKILL');
    await exported.exit;
    await company.command('upstream', 'export', open.address, '-o', file);
    const { keyId: signer } = await company.call('GET', '/api/apps/public-key');
    await inside.command(
      'upstream',
      'add',
      file,
      '--key',
      keyId,
      '--signer',
      signer,
      '--which',
      'all',
      '--how',
      'all',
    );
    const imported = inside.program('upstream', 'import', file);
    await new Promise((resolve) => setTimeout(resolve, 300));
    imported.child.kill('SIGKILL');
    await imported.exit;
    await inside.command('upstream', 'import', file);
    await inside.again();
    await latestIs(inside, '1.1.0');
    await install(await clientOf(inside));
    // 5. A mirror of the company: its writer is killed, and the company is off.
    const mirror = newFolder();
    const writer = company.program('mirror', '--to', mirror);
    await new Promise((resolve) => setTimeout(resolve, 300));
    writer.child.kill('SIGKILL');
    await writer.exit;
    await company.command('mirror', '--to', mirror);
    writeFileSync(join(mirror, '.draft-killed'), 'half');
    await company.command('mirror', '--to', mirror);
    const reader = await clientOf(company, [await serveFolder(mirror)]);
    await reader.revocations.check();
    await company.kill();
    await install(reader);
    expect(reader.library.get(APP)?.version).toBe('1.1.0');
    expect(reader.mirrors().map(({ left }) => left)).toEqual([null]);
  });
});
