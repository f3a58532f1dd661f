import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keyRing, verifyBundle } from '@svc/signing';
import { DEEP, sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MIGRATION_NAMES, migrate } from '../apps/store/src/adapters/database/migrations.ts';
import { openSqlite } from '../apps/store/src/adapters/sqlite/open-sqlite.ts';
import { portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../apps/store/test/support/test-store.ts';

/** A data folder written by the first version of the store: two published apps, one of them yanked, and two in review. */
const FIRST = join(import.meta.dirname, 'support/first-version.tar.gz');

const [NOTES, OTHER, WAITS] = ['com.example.notes', 'com.example.other', 'com.example.waits'];

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function firstFolder(): Promise<string> {
  const folder = await tempFolder();
  execFileSync('tar', ['-xzf', FIRST, '-C', folder]);
  return folder;
}

type Row = Record<string, string>;

/** The rows of a query in a database that is not in use. */
function rowsIn(file: string, query: string): Row[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(query).all() as Row[];
  } finally {
    database.close();
  }
}

const SIGNED = 'select app_id, version, state, sha256, signature, manifest_json, published_at from versions';

describe('an upgrade from the first version', () => {
  it('keeps every app, signature, yank and review, and continues to work', DEEP, async () => {
    const folder = await firstFolder();
    const before = rowsIn(join(folder, 'store.sqlite'), SIGNED);
    expect(before).toHaveLength(5);
    const address = { PORT: '0', SVC_BASE_URL: 'http://localhost' };
    const settings = { ...address, SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN };
    const store = start(settings);
    const origin = `http://127.0.0.1:${await portOf(store)}`;
    // biome-ignore lint/suspicious/noExplicitAny: each caller checks the response that it requested
    const json = async (path: string): Promise<any> => (await fetch(origin + path)).json();
    const post = (path: string, body: object | Uint8Array, token = ADMIN_TOKEN) =>
      fetch(origin + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': body instanceof Uint8Array ? 'application/zip' : 'application/json',
        },
        body: body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
      });

    const { keys } = await json('/api/apps/public-keys');
    for (const { app_id: appId, version, manifest_json, sha256 } of before.filter(
      ({ app_id }) => app_id === NOTES,
    )) {
      const answer = await fetch(`${origin}/api/apps/${appId}/versions/${version}/bundle`);
      const header = (name: string) => answer.headers.get(`x-svc-${name}`) ?? '';
      const release = {
        ...{ appId: String(appId), version: String(version), sha256: header('sha256') },
        ...{ signature: header('signature'), keyId: header('key-id'), publishedAt: header('published-at') },
      };
      expect(release.sha256).toBe(sha256);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(verifyBundle(bytes, JSON.parse(manifest_json ?? ''), release, keyRing(keys))).toMatchObject({
        ok: true,
      });
    }
    expect((await json('/api/apps/catalog')).apps).toMatchObject([{ appId: NOTES, version: '1.1.0' }]);
    expect((await json('/api/apps/catalog?q=notes')).total).toBe(1);
    expect((await fetch(`${origin}/api/apps/${OTHER}/versions/1.0.0/bundle`)).status).toBe(410);
    expect((await json('/api/apps/revocations')).entries).toMatchObject([
      { appId: OTHER, reason: 'It loses notes.' },
    ]);

    const approved = await post(`/api/moderation/apps/${WAITS}/versions/1.0.0/approve`, {});
    expect(await approved.json()).toMatchObject({ status: 'published' });
    const { token } = (await (await post('/api/admin/tokens', { publisher: 'example' })).json()) as {
      token: string;
    };
    const next = sampleBundle({ id: NOTES, name: 'Notes', version: '1.2.0' });
    expect((await post('/api/apps/publish', next, token)).status).toBe(201);
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(0);

    const after = rowsIn(join(folder, 'store.sqlite'), SIGNED);
    const unchanged = before.filter(({ app_id }) => app_id !== WAITS);
    expect(after).toEqual(expect.arrayContaining(unchanged));
    const backup = join(await tempFolder(), 'backup');
    expect(await start(settings, ['backup', backup]).exit).toBe(0);
    expect(await start(settings, ['restore', backup, '--check']).exit).toBe(0);
  });

  it('results in the same rows from every intermediate schema', DEEP, async () => {
    const folder = await firstFolder();
    const read = (file: string) =>
      ['versions', 'publishers', 'listings', 'apps', 'version_moves'].map((table) =>
        // The proof of a publisher is random: its migration generates it.
        rowsIn(file, `select * from ${table}`).map((row) => ({ ...row, proof: null })),
      );
    const upgraded = async (stop?: string) => {
      const file = join(folder, `${stop ?? 'direct'}.sqlite`);
      await copyFile(join(folder, 'store.sqlite'), file);
      for (const last of stop === undefined ? [undefined] : [stop, undefined]) {
        const db = openSqlite(file);
        await migrate(db, last);
        await db.destroy();
      }
      return read(file);
    };
    const direct = await upgraded();
    for (const name of MIGRATION_NAMES) expect([name, await upgraded(name)]).toEqual([name, direct]);
  });

  it('is documented for every schema', async () => {
    const page = await readFile(join(import.meta.dirname, '../docs/project/schemas.md'), 'utf8');
    const named = Array.from(page.matchAll(/^\| `(\d{4}-[a-z-]+)` \|/gm), ([, name]) => name);
    expect(named).toEqual([...MIGRATION_NAMES]);
  });
});
