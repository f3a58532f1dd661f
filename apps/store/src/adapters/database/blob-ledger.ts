import type { BlobLedger } from '../../publishing/blob-ledger.ts';
import type { Database } from './schema.ts';

const ONLY = 1;

const rowsOf = (hashes: readonly string[]) => [...new Set(hashes)].map((sha256) => ({ sha256 }));

async function amongst(db: Database, table: 'used_blobs' | 'doomed_blobs', hashes: readonly string[]) {
  if (hashes.length === 0) return [];
  const rows = await db.selectFrom(table).select('sha256').where('sha256', 'in', hashes).execute();
  return rows.map(({ sha256 }) => sha256);
}

/** Which bytes versions speak of, in the database. */
export const createBlobLedger = (db: Database): BlobLedger => ({
  async use(hashes) {
    await db
      .insertInto('used_blobs')
      .values(rowsOf(hashes))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  async anyUsed() {
    const row = await db.selectFrom('used_blobs').select('sha256').limit(1).executeTakeFirst();
    return row !== undefined;
  },
  async unused(hashes) {
    const used = new Set(await amongst(db, 'used_blobs', hashes));
    return hashes.filter((sha256) => !used.has(sha256));
  },
  async doom(hashes, at) {
    await db
      .insertInto('doomed_blobs')
      .values(rowsOf(hashes).map((row) => ({ ...row, doomed_at: at })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ doomed_at: at }))
      .execute();
  },
  doomed: (hashes) => amongst(db, 'doomed_blobs', hashes),
  async forgetDoomed(before) {
    await db.deleteFrom('doomed_blobs').where('doomed_at', '<', before).execute();
  },
  async ownerName(candidate) {
    await db
      .insertInto('blob_owner')
      .values({ id: ONLY, name: candidate })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { name } = await db
      .selectFrom('blob_owner')
      .select('name')
      .where('id', '=', ONLY)
      .executeTakeFirstOrThrow();
    return name;
  },
});
