import type { Database } from '../platform/database/schema.ts';

const ONLY = 1;

const rowsOf = (hashes: readonly string[]) => [...new Set(hashes)].map((sha256) => ({ sha256 }));

async function amongst(db: Database, table: 'used_blobs' | 'doomed_blobs', hashes: readonly string[]) {
  if (hashes.length === 0) return [];
  const rows = await db.selectFrom(table).select('sha256').where('sha256', 'in', hashes).execute();
  return rows.map(({ sha256 }) => sha256);
}

/** To which bytes versions refer, in the database. */
export const createBlobLedger = (db: Database) => ({
  /** Puts on record, for ever, that a version refers to these. */
  async use(hashes: readonly string[]): Promise<void> {
    await db
      .insertInto('used_blobs')
      .values(rowsOf(hashes))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  /** Whether any version names bytes. */
  async anyUsed(): Promise<boolean> {
    const row = await db.selectFrom('used_blobs').select('sha256').limit(1).executeTakeFirst();
    return row !== undefined;
  },
  /** Those of some hashes that no version refers to. */
  async unused(hashes: readonly string[]): Promise<string[]> {
    const used = new Set(await amongst(db, 'used_blobs', hashes));
    return hashes.filter((sha256) => !used.has(sha256));
  },
  /** Puts on record that bytes are about to be removed. */
  async doom(hashes: readonly string[], at: string): Promise<void> {
    await db
      .insertInto('doomed_blobs')
      .values(rowsOf(hashes).map((row) => ({ ...row, doomed_at: at })))
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ doomed_at: at }))
      .execute();
  },
  /** Those of some hashes that were about to be removed since the record was last cleared. */
  doomed: (hashes: readonly string[]): Promise<string[]> => amongst(db, 'doomed_blobs', hashes),
  /** Clears the record of what was doomed before a time. */
  async forgetDoomed(before: string): Promise<void> {
    await db.deleteFrom('doomed_blobs').where('doomed_at', '<', before).execute();
  },
  /** The name of the store that these records belong to; made up by the process that asks first. */
  async ownerName(candidate: string): Promise<string> {
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

export type BlobLedger = ReturnType<typeof createBlobLedger>;
