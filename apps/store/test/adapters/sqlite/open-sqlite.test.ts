import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../../src/adapters/database/migrations.ts';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { faultOf, isBusy, openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { MARKS, PUBLISHER } from '../../support/publisher-row.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

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

describe('SQLite', () => {
  it('syncs every commit to the disk', async () => {
    const { db } = await opened();
    const { rows: mode } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
    const { rows: sync } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
    expect([mode[0]?.journal_mode, sync[0]?.synchronous]).toEqual(['wal', 2]);
  });

  it('notices that the log of a database is gone that a link leads to', async () => {
    const { file } = await opened();
    await symlink(file, `${file}.link`);
    const db = openSqlite(`${file}.link`);
    onTestFinished(() => db.destroy());
    await createStores(db).publishers.create(PUBLISHER, MARKS);
    await rename(`${file}-wal`, `${file}-gone`);
    const next = createStores(db).publishers.create({ ...PUBLISHER, slug: 'b' }, { ...MARKS, look: 'b' });
    await expect(next).rejects.toThrow(UnavailableError);
  });

  it('rolls back a transaction that fails', async () => {
    const { db } = await opened();
    const work = createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(PUBLISHER, MARKS);
      throw new Error('half way');
    });
    await expect(work).rejects.toThrow('half way');
    expect(await createStores(db).publishers.find('a')).toBeNull();
  });

  it('ends a transaction whose rollback failed before the next query', async () => {
    const { db, file } = await opened();
    const { run } = StatementSync.prototype;
    const disk = vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
      this: StatementSync,
      ...values
    ) {
      if (this.sourceSQL === 'rollback') throw new Error('disk I/O error');
      return run.apply(this, values);
    });
    onTestFinished(() => disk.mockRestore());
    const work = createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(PUBLISHER, MARKS);
      throw new Error('half way');
    });
    await expect(work).rejects.toThrow('disk I/O error');
    expect(await createStores(db).publishers.find('a')).toBeNull();
    await createStores(db).publishers.create({ ...PUBLISHER, slug: 'b' }, { ...MARKS, look: 'b' });
    await createUnitOfWork(db)((stores) =>
      stores.publishers.create({ ...PUBLISHER, slug: 'c' }, { ...MARKS, look: 'c' }),
    );
    const other = openSqlite(file);
    onTestFinished(() => other.destroy());
    expect(await createStores(other).publishers.find('b')).toMatchObject({ slug: 'b' });
    expect(await createStores(other).publishers.find('c')).toMatchObject({ slug: 'c' });
  });

  it('hides an open transaction from other connections', async () => {
    const { db, file } = await opened();
    const other = openSqlite(file);
    onTestFinished(() => other.destroy());
    await createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(PUBLISHER, MARKS);
      expect(await createStores(other).publishers.find('a')).toBeNull();
    });
    expect(await createStores(other).publishers.find('a')).toEqual(PUBLISHER);
  });

  it('rejects a listing of an app that does not exist', async () => {
    const { db } = await opened();
    await expect(
      sql`insert into listings (app_id, version, name, name_key, first_published_at, updated_at) values ('x', '1', 'x', 'x', 'x', 'x')`.execute(
        db,
      ),
    ).rejects.toThrow(/FOREIGN KEY/);
  });
});

describe('SQLite that cannot write', () => {
  const keep = (db: Awaited<ReturnType<typeof opened>>['db'], slug: string, name = slug) =>
    createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create({ ...PUBLISHER, slug, name }, MARKS);
    });

  it('is reported as unavailable while another process holds the lock, and works afterwards', async () => {
    const { db, file } = await opened();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    const patient = openSqlite(file, 30);
    onTestFinished(() => patient.destroy());
    other.exec('begin immediate');
    const writes = await Promise.allSettled(['a', 'b'].map((slug) => keep(patient, slug)));
    for (const write of writes) {
      expect(write).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
    }
    expect(await createStores(patient).publishers.find('a')).toBeNull();
    other.exec('rollback');
    await keep(patient, 'a');
    expect(await createStores(db).publishers.find('a')).toMatchObject({ slug: 'a' });
  });

  it('waits for the lock without blocking its thread, with a statement or a transaction', async () => {
    const { db, file } = await opened();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    const insert = sql`insert into publishers select * from publishers where false`.execute(db);
    const writes = Promise.all([insert, keep(db, 'a')]);
    // A thread that waits within SQLite would not come to this, and the writes would fail.
    setTimeout(() => other.exec('rollback'), 200);
    await writes;
    expect(await createStores(db).publishers.find('a')).toMatchObject({ slug: 'a' });
  });

  it('reports a full disk, rolls back the transaction, and works when there is space again', async () => {
    const { db } = await opened();
    await sql`pragma max_page_count = 1`.execute(db);
    const huge = 'x'.repeat(200_000);
    await expect(keep(db, 'a', huge)).rejects.toThrow(new UnavailableError('SQLite: the disk is full.'));
    expect(await createStores(db).publishers.find('a')).toBeNull();
    await sql`pragma max_page_count = 100000`.execute(db);
    await keep(db, 'a', huge);
    expect(await createStores(db).publishers.find('a')).toMatchObject({ name: huge });
  });

  it('makes a request fail with 503 and Retry-After, and the cause appears only in the log', async () => {
    const store = await openTestStore();
    const other = new DatabaseSync(join(store.folder, 'store.sqlite'));
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    const ask = () => store.admin('POST', '/api/admin/publishers', { slug: 'a', name: 'A' });
    const refused = await ask();
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const { httpStatus, code, message } = await bodyOf(refused);
    expect([httpStatus, code]).toEqual([503, 'unavailable']);
    expect(message).not.toMatch(/SQLite|lock/i);
    expect(store.lines.join('\n')).toContain('another process keeps it locked');
    other.exec('rollback');
    expect((await ask()).status).toBe(201);
    expect(store.lines.join('\n')).not.toContain(ADMIN_TOKEN);
  });
});

const said = (errcode: number) => Object.assign(new Error('said by SQLite'), { errcode });

describe('faultOf', () => {
  it.each([
    [5, 'BUSY'],
    [5 | (2 << 8), 'BUSY_SNAPSHOT'],
    [6, 'LOCKED'],
    [8, 'READONLY'],
    [10, 'IOERR'],
    [10 | (3 << 8), 'IOERR_WRITE'],
    [10 | (4 << 8), 'IOERR_FSYNC'],
    [13, 'FULL'],
    [14, 'CANTOPEN'],
  ])('reports the temporary error %i (SQLITE_%s) as unavailable', (errcode) => {
    const error = said(errcode);
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect((faultOf(error) as Error).cause).toBe(error);
  });

  it.each([
    [1, 'ERROR'],
    [11, 'CORRUPT'],
    [19, 'CONSTRAINT'],
    [19 | (8 << 8), 'CONSTRAINT_UNIQUE'],
    [20, 'MISMATCH'],
    [26, 'NOTADB'],
  ])('returns %i (SQLITE_%s), an error of the store itself, unchanged', (errcode) => {
    const error = said(errcode);
    expect(faultOf(error)).toBe(error);
  });

  it('returns a JavaScript error unchanged', () => {
    const error = new TypeError('undefined is not a function');
    expect(faultOf(error)).toBe(error);
    expect(isBusy(error)).toBe(false);
  });
});
