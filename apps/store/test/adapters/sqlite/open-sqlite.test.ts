import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../src/adapters/database/migrations.ts';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sqlite-'));
  const db = openSqlite(join(folder, 'store.sqlite'));
  await migrate(db);
  onTestFinished(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  return { db, file: join(folder, 'store.sqlite') };
}

const publisher = {
  slug: 'a',
  name: 'A',
  verified: false,
  suspended: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('SQLite', () => {
  it('syncs every commit to the disk', async () => {
    const { db } = await opened();
    const { rows: mode } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
    const { rows: sync } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
    expect([mode[0]?.journal_mode, sync[0]?.synchronous]).toEqual(['wal', 2]);
  });

  it('keeps nothing of a transaction that fails', async () => {
    const { db } = await opened();
    const work = createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(publisher);
      throw new Error('half way');
    });
    await expect(work).rejects.toThrow('half way');
    expect(await createStores(db).publishers.find('a')).toBeNull();
  });

  it('shows nothing of a transaction under way to others', async () => {
    const { db, file } = await opened();
    const other = openSqlite(file);
    onTestFinished(() => other.destroy());
    await createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(publisher);
      expect(await createStores(other).publishers.find('a')).toBeNull();
    });
    expect(await createStores(other).publishers.find('a')).toEqual(publisher);
  });

  it('refuses a version of an app that is not there', async () => {
    const { db } = await opened();
    await expect(
      sql`insert into listings (app_id, version, name, name_key, search_text, first_published_at, updated_at) values ('x', '1', 'x', 'x', 'x', 'x', 'x')`.execute(
        db,
      ),
    ).rejects.toThrow(/FOREIGN KEY/);
  });
});
