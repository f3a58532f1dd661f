import { allOf, firstOf, insertMissing, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** The id of the one owner, so that a second cannot be inserted. */
const ONLY = 1;

const rowsOf = (hashes: readonly string[]) => [...new Set(hashes)].map((sha256) => ({ sha256 }));

async function findIn(db: Database, table: 'used_blobs' | 'doomed_blobs', hashes: readonly string[]) {
  if (hashes.length === 0) return [];
  return allOf(db.selectFrom(table).select('sha256').where('sha256', 'in', hashes), ({ sha256 }) => sha256);
}

export const createBlobLedger = (db: Database) => ({
  /** Records permanently that a version refers to these blobs. */
  use: (hashes: readonly string[]): Promise<void> =>
    insertMissing(db.insertInto('used_blobs').values(rowsOf(hashes))),
  /** Some of the blobs that versions refer to, in the order of their hashes. */
  someUsed: (count: number): Promise<string[]> =>
    allOf(
      db.selectFrom('used_blobs').select('sha256').orderBy('sha256').limit(count),
      ({ sha256 }) => sha256,
    ),
  /** The hashes to which no version refers. */
  async unused(hashes: readonly string[]): Promise<string[]> {
    const used = new Set(await findIn(db, 'used_blobs', hashes));
    return hashes.filter((sha256) => !used.has(sha256));
  },
  /** Records that blobs are about to be deleted. */
  async doom(hashes: readonly string[], at: string): Promise<void> {
    await db
      .insertInto('doomed_blobs')
      .values(rowsOf(hashes).map((row) => ({ ...row, doomed_at: at })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ doomed_at: at }))
      .execute();
  },
  doomed: (hashes: readonly string[]): Promise<string[]> => findIn(db, 'doomed_blobs', hashes),
  /** Deletes such records from before a time. */
  purgeDoomed: (before: string): Promise<void> =>
    run(db.deleteFrom('doomed_blobs').where('doomed_at', '<', before)),
  /** The name of the store that owns these records; null in a new database. */
  knownName: (): Promise<string | null> =>
    firstOf(db.selectFrom('blob_owner').select('name'), ({ name }) => name),
  /** The name of the store that owns these records. The first call sets it. */
  async ownerName(candidate: string): Promise<string> {
    await insertMissing(db.insertInto('blob_owner').values({ id: ONLY, name: candidate }));
    const kept = db.selectFrom('blob_owner').select('name');
    return (await kept.executeTakeFirstOrThrow()).name;
  },
});

export type BlobLedger = ReturnType<typeof createBlobLedger>;
