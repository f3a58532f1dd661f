import { type SqlBool, sql } from 'kysely';
import type { KeyChainStore } from '../../keys/key-chain-store.ts';
import type { Database } from './schema.ts';

/** The one row of the table. */
const ONLY = 1;

/** The keys that the store signs with, in the database. */
export const createKeyChainStore = (db: Database): KeyChainStore => ({
  async known() {
    const row = await db
      .selectFrom('key_chain')
      .select('keys_json')
      .where('id', '=', ONLY)
      .executeTakeFirst();
    return row ? JSON.parse(row.keys_json) : null;
  },
  async record(keys) {
    const keys_json = JSON.stringify(keys);
    await db
      .insertInto('key_chain')
      .values({ id: ONLY, keys_json })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ keys_json }))
      .execute();
  },
  async signers() {
    const rows = await db
      .selectFrom('versions')
      .select('key_id')
      .distinct()
      .where('key_id', 'is not', null)
      .execute();
    return rows.map(({ key_id }) => String(key_id));
  },
  async signedAfter(ref, limit) {
    const rows = await db
      .selectFrom('versions')
      .select(['app_id', 'version', 'sha256', 'published_at', 'manifest_json'])
      .where('signature', 'is not', null)
      .where(sql<SqlBool>`(app_id, version) > (${ref?.appId ?? ''}, ${ref?.version ?? ''})`)
      .orderBy('app_id')
      .orderBy('version')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      appId: row.app_id,
      version: row.version,
      sha256: row.sha256,
      publishedAt: String(row.published_at),
      manifest: JSON.parse(row.manifest_json),
    }));
  },
  async replaceSignature({ appId, version }, { signature, keyId }) {
    await db
      .updateTable('versions')
      .set({ signature, key_id: keyId })
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .execute();
  },
});
