import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { checkpointWal } from '../../../src/adapters/sqlite/checkpoint-wal.ts';

const MIB = 1024 * 1024;

/** A database without automatic checkpoints. */
async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-log-'));
  const file = join(folder, 'store.sqlite');
  const database = new DatabaseSync(file);
  onTestFinished(async () => {
    database.close();
    await rm(folder, { recursive: true, force: true });
  });
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (x)');
  return {
    file,
    database,
    fill: (mib: number) => database.exec(`insert into t values (zeroblob(${mib * MIB}))`),
  };
}

const sizeOf = async (file: string) => (await stat(file)).size;

it('checkpoints a long WAL in its own thread, while the database is in use', async () => {
  const { file, database, fill } = await opened();
  onTestFinished(checkpointWal(file));
  fill(6);
  expect(await sizeOf(file)).toBeLessThan(MIB);
  await expect.poll(() => sizeOf(file)).toBeGreaterThan(6 * MIB);
  // SQLite reuses the WAL from its beginning: it does not grow any more.
  const before = await sizeOf(`${file}-wal`);
  fill(2);
  expect(await sizeOf(`${file}-wal`)).toBe(before);
  expect(database.prepare('select count(*) as rows from t').get()).toEqual({ rows: 2 });
});

it('does nothing for a long WAL without new writes', async () => {
  const { file, fill } = await opened();
  const asked = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => asked.mockRestore());
  onTestFinished(checkpointWal(file));
  fill(6);
  await expect.poll(() => sizeOf(file)).toBeGreaterThan(6 * MIB);
  const before = asked.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(asked.mock.calls.length).toBe(before);
  fill(1);
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(before);
});

it('does nothing for a short WAL', async () => {
  const { file, fill } = await opened();
  onTestFinished(checkpointWal(file));
  fill(1);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await sizeOf(file)).toBeLessThan(MIB);
});

it('does nothing once it is stopped', async () => {
  const { file, fill } = await opened();
  checkpointWal(file)();
  fill(6);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await sizeOf(file)).toBeLessThan(MIB);
});

it('waits for a WAL that cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.sqlite');
  // ELOOP, as a folder without permission refuses root nothing.
  await symlink(`${file}-wal`, `${file}-wal`);
  onTestFinished(checkpointWal(file));
  await new Promise((resolve) => setTimeout(resolve, 600));
});
