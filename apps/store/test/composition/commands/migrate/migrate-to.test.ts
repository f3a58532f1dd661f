import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyRing, verifyBundle } from '@svc/signing';
import { DEEP, needsS3, sampleBundle, sampleManifest, startS3Server } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseIn } from '../../../../src/adapters/disk/data-folder.ts';
import { openPostgres } from '../../../../src/adapters/postgres/open-postgres.ts';
import { forEach } from '../../../../src/composition/commands/migrate/migrate-to.ts';
import {
  compareRows,
  copyRows,
  inPostgres,
  openForReading,
  sqliteRows,
  tablesOf,
} from '../../../../src/composition/commands/migrate/rows.ts';
import { runCommand } from '../../../../src/composition/commands/run-command.ts';
import { readSettings } from '../../../../src/composition/settings.ts';
import { freshDatabase } from '../../../support/database.ts';
import { start } from '../../../support/program.ts';
import { runIn } from '../../../support/run-in.ts';
import { bodyOf, openTestStore, type TestStore } from '../../../support/test-store.ts';

const log = { info() {}, warn() {}, error() {} };
const ambient = { clock: () => new Date(), random: randomBytes, newId: randomUUID, fetch, log };

/** A closed store on SQLite and disk with many kinds of rows, and a token of its publisher. */
async function usedStore(apps = 3) {
  const store = await openTestStore({ environment: { DATABASE_URL: '' } });
  const token = await store.publisherToken('example', true);
  for (let i = 0; i < apps; i += 1) {
    const id = `com.example.app${i}`;
    await store.publish(token, { id, name: `App ${i}` });
    await store.decide('approve', '1.0.0', {}, id);
    await store.publish(token, { id, name: `App ${i}`, version: '1.1.0' });
  }
  const yank = '/api/apps/com.example.app0/versions/1.0.0/yank';
  await store.call('POST', yank, { token, json: { reason: 'It loses notes — “all” of them 🦊.' } });
  await store.signedIn('anna', { membership: { example: 'owner' } });
  await store.signedIn('boss', { role: 'administrator' });
  await store.close();
  return { store, token };
}

const migrate = (
  store: Pick<TestStore, 'folder'>,
  words: readonly string[],
  more: Record<string, string> = {},
) =>
  runCommand(['migrate-to', ...words], () => readSettings({ SVC_DATA_DIR: store.folder, ...more }), ambient);

async function opened(url: string) {
  const db = await openPostgres(url, log);
  onTestFinished(() => db.destroy());
  return db;
}

describe('svc-store migrate-to', () => {
  it('moves every row to PostgreSQL, and the store continues there', async () => {
    const { store, token } = await usedStore();
    const url = await freshDatabase();
    const moved = await migrate(store, [url]);
    expect(moved).toEqual({
      line: expect.stringMatching(/^The store was moved: \d{3,} rows are the same .* 6 signed/),
    });
    const there = await openTestStore({ folder: store.folder, environment: { DATABASE_URL: url } });
    expect(there.keyId).toBe(store.keyId);
    const catalog = await bodyOf(there.call('GET', '/api/apps/catalog'));
    expect(catalog.apps.map(({ appId }: { appId: string }) => appId).sort()).toEqual([
      'com.example.app0',
      'com.example.app1',
      'com.example.app2',
    ]);
    const { entries } = await bodyOf(there.call('GET', '/api/apps/revocations'));
    expect(entries).toMatchObject([{ appId: 'com.example.app0', version: '1.0.0' }]);
    const { versions } = await bodyOf(there.call('GET', '/api/apps/com.example.app1'));
    const bundle = await there.call('GET', '/api/apps/com.example.app1/versions/1.0.0/bundle');
    const { keys } = await bodyOf(there.call('GET', '/api/apps/public-keys'));
    const manifest = sampleManifest({ id: 'com.example.app1', name: 'App 1' });
    const release = { appId: 'com.example.app1', ...versions.at(-1) };
    const bytes = new Uint8Array(await bundle.arrayBuffer());
    expect(verifyBundle(bytes, manifest, release, keyRing(keys))).toMatchObject({ ok: true });
    // Sequences continue after the moved rows: an old token publishes, and the audit log gets an entry.
    const next = sampleBundle({ id: 'com.example.app1', name: 'App 1', version: '1.2.0' });
    expect((await there.upload(token, next)).status).toBe(201);
    expect((await bodyOf(there.admin('GET', '/api/admin/audit'))).entries[0].action).toMatch(/^version\./);
  });

  it('can be repeated with the same result', DEEP, async () => {
    const { store } = await usedStore();
    const url = await freshDatabase();
    const first = await migrate(store, [url]);
    expect(await migrate(store, [url])).toEqual(first);
  });

  it('leaves no rows when it is interrupted, and can be repeated', async () => {
    const { store } = await usedStore();
    const url = await freshDatabase();
    const db = await opened(url);
    const source = openForReading(databaseIn(store.folder));
    const tables = tablesOf(source);
    const cutOff = inPostgres(db, async (there) => {
      await copyRows(tables, sqliteRows(source), there);
      throw new Error('cut off');
    });
    await expect(cutOff).rejects.toThrow('cut off');
    const left = inPostgres(db, (there) => compareRows(tables, sqliteRows(source), there));
    expect(await left).toMatchObject({ isEmpty: true });
    source.close();
    const moved = await migrate(store, [url]);
    expect(moved).toEqual({ line: expect.stringContaining('6 signed versions verify') });
  });

  it('can be killed at any time and repeated', DEEP, async () => {
    const { store } = await usedStore(8);
    const url = await freshDatabase();
    const killed: (number | null)[] = [];
    for (const ms of [200, 500, 800, 1100, 1400]) {
      const run = start({ SVC_DATA_DIR: store.folder }, ['migrate-to', url]);
      await new Promise((resolve) => setTimeout(resolve, ms));
      run.child.kill('SIGKILL');
      killed.push(await run.exit);
    }
    // A run can be complete before its signal, but none fails because an earlier one was killed.
    expect(killed[0]).toBeNull();
    expect(killed.filter((code) => code !== null && code !== 0)).toEqual([]);
    const last = start({ SVC_DATA_DIR: store.folder }, ['migrate-to', url]);
    expect([await last.exit, last.output.err]).toEqual([
      0,
      expect.stringContaining('16 signed versions verify'),
    ]);
  });

  it('reports a single value that differs', DEEP, async () => {
    const { store } = await usedStore();
    const url = await freshDatabase();
    await migrate(store, [url]);
    await runIn(url, "update publishers set name = 'Others' where slug = 'example'");
    await expect(migrate(store, [url])).rejects.toThrow(
      /contains other rows: publishers \(1 rows here, 1 there\)/,
    );
  });

  it('does not overwrite another store', DEEP, async () => {
    const { store } = await usedStore(1);
    const other = await usedStore(2);
    const url = await freshDatabase();
    await migrate(other.store, [url]);
    await expect(migrate(store, [url])).rejects.toThrow(
      /^The store was not moved: the target database contains other rows/,
    );
  });

  it('reports a damaged blob, and moves nothing', async () => {
    const { store } = await usedStore(1);
    const names = await readdir(join(store.folder, 'blobs'), { recursive: true });
    const blob = names.find((name) => /[0-9a-f]{64}$/.test(name)) as string;
    await writeFile(join(store.folder, 'blobs', blob), 'damaged');
    await expect(migrate(store, [await freshDatabase()])).rejects.toThrow(
      /^The store was not moved: The file [0-9a-f]{64} has other bytes: restore it from a backup\.$/,
    );
  });

  it.each([
    [['mysql://x'], {}, /^DATABASE_URL must be postgres:/],
    [
      ['postgres://x/y', 'file:///x'],
      { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      /^SVC_BLOBS must be s3:/,
    ],
    [['postgres://x/y', 's3://apps'], {}, /^Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
    [['postgres://x/y'], { DATABASE_URL: 'postgres://here/y' }, /^This store is on PostgreSQL already/],
    [['sqlite'], {}, /^This store is on SQLite already/],
    [[], {}, /^Usage: svc-store migrate-to DATABASE \[BUNDLES\]$/],
  ])('refuses %j with a message', async (words, more, line) => {
    await expect(migrate({ folder: '/nowhere' }, words, more)).rejects.toThrow(line);
  });

  it('moves a store there and back, with every row and number, and only into a folder without another store', async () => {
    const { store, token } = await usedStore();
    const url = await freshDatabase();
    await migrate(store, [url]);
    const there = await openTestStore({ folder: store.folder, environment: { DATABASE_URL: url } });
    await there.publish(token, { id: 'com.example.app1', name: 'App 1', version: '1.2.0' });
    await there.close();
    const back = () => migrate(store, ['sqlite'], { DATABASE_URL: url });
    await expect(back()).rejects.toThrow(/the target database contains other rows/);
    const old = join(store.folder, 'store.sqlite');
    for (const end of ['', '-wal', '-shm']) await rm(old + end, { force: true });
    expect(await back()).toEqual({
      line: expect.stringMatching(/ 7 signed versions .* remove DATABASE_URL; then start the store\./),
    });
    expect(await back()).toEqual({ line: expect.stringContaining('7 signed') });
    const again = await openTestStore({ folder: store.folder, environment: { DATABASE_URL: '' } });
    expect(again.keyId).toBe(store.keyId);
    const next = sampleBundle({ id: 'com.example.app1', name: 'App 1', version: '1.3.0' });
    expect((await again.upload(token, next)).status).toBe(201);
    expect((await bodyOf(again.call('GET', '/api/apps/revocations'))).entries).toHaveLength(1);
  });

  it('is recommended by a store that starts with an empty PostgreSQL beside a SQLite store', async () => {
    const { store } = await usedStore(1);
    const environment = { DATABASE_URL: await freshDatabase() };
    await expect(openTestStore({ folder: store.folder, environment })).rejects.toThrow(
      /^DATABASE_URL names a database without a store, and \S+ contains a store: move that store with svc-store migrate-to, or start a new one with an empty SVC_DATA_DIR\.$/,
    );
  });

  it('is refused while the store is running', async () => {
    const store = await openTestStore({ environment: { DATABASE_URL: '' } });
    await store.publisherToken();
    await expect(migrate(store, [await freshDatabase()])).rejects.toThrow(
      'the store is running: stop it first',
    );
  });

  it('also moves the bundles to a bucket, and copies none twice', { ...DEEP, ...needsS3() }, async () => {
    const server = await startS3Server();
    onTestFinished(() => server.stop());
    const { store } = await usedStore();
    const url = await freshDatabase();
    const bucket = `s3://moved-store?endpoint=${server.endpoint}`;
    const keys = { AWS_ACCESS_KEY_ID: server.accessKeyId, AWS_SECRET_ACCESS_KEY: server.secretAccessKey };
    const moved = await migrate(store, [url, bucket], keys);
    const line = 'line' in moved ? moved.line : '';
    const [, all, copied] = /(\d+) blobs are in the bucket, (\d+) of them copied now/.exec(line) ?? [];
    expect(Number(all)).toBeGreaterThan(5);
    expect(copied).toBe(all);
    const again = await migrate(store, [url, bucket], keys);
    expect('line' in again && again.line).toContain(`${all} blobs are in the bucket, 0 of them copied now`);
    const environment = { DATABASE_URL: url, SVC_BLOBS: bucket, ...keys };
    const folder = store.folder;
    const there = await openTestStore({ folder, environment });
    const bundle = await there.call('GET', '/api/apps/com.example.app1/versions/1.0.0/bundle');
    expect([bundle.status, (await bundle.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    const other = await usedStore(1);
    await expect(migrate(other.store, [await freshDatabase(), bucket], keys)).rejects.toThrow(
      /the bucket belongs to the store/,
    );
  });
});

/** Numbers, each after a pause, like the entries of a folder. */
async function* numbers(count: number, pauseMs = 0) {
  for (let number = 0; number < count; number += 1) {
    if (pauseMs > 0) await sleep(pauseMs);
    yield number;
  }
}

describe('forEach', () => {
  it('runs the work for all items, with at most four at a time', async () => {
    const done: number[] = [];
    let [underWay, most] = [0, 0];
    const work = async (number: number) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(2);
      underWay -= 1;
      done.push(number);
    };
    await forEach(numbers(20), work, 4);
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect(most).toBe(4);
  });

  it('rejects when an item fails while the next one is awaited, and when the last one fails', async () => {
    for (const bad of [0, 2]) {
      const work = async (number: number) => {
        if (number === bad) throw new Error(`${number} is damaged`);
      };
      await expect(forEach(numbers(3, 5), work, 4)).rejects.toThrow(`${bad} is damaged`);
    }
  });

  it('waits for work in progress after a failure, and begins no more', async () => {
    const done: number[] = [];
    const work = async (number: number) => {
      if (number === 1) throw new Error('1 is damaged');
      await sleep(20);
      done.push(number);
    };
    await expect(forEach(numbers(10), work, 2)).rejects.toThrow('1 is damaged');
    expect(done).toEqual([0]);
  });

  it('rejects when the items cannot be listed', async () => {
    async function* broken() {
      yield 0;
      throw new Error('the disk is gone');
    }
    await expect(forEach(broken(), async () => {}, 4)).rejects.toThrow('the disk is gone');
  });
});
