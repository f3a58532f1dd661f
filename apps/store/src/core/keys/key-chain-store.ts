import type { Manifest, StoreKey } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { inTransaction } from '../../platform/database/in-transaction.ts';
import { firstOf } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { appendToLog, entryOfPublished, logKeys } from '../domain/trust/trust-log.ts';
import type { Mover } from '../domain/versions/changes.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';

/** A published or yanked version with its signature. */
export type SignedVersion = VersionRef & {
  sha256: string;
  publishedAt: string;
  manifest: Manifest;
  signature: string;
  keyId: string;
};

/** The one row of the table. */
const ONLY = 1;

export const createKeyChainStore = (db: Database) => ({
  /** The chain of public keys, oldest first; null before the first was recorded. */
  known: (): Promise<StoreKey[] | null> =>
    firstOf(db.selectFrom('key_chain').select('keys_json').where('id', '=', ONLY), ({ keys_json }) =>
      JSON.parse(keys_json),
    ),
  /** Replaces the chain. */
  async record(keys: readonly StoreKey[]): Promise<void> {
    const keys_json = JSON.stringify(keys);
    await inTransaction(db, async (tx) => {
      await tx
        .insertInto('key_chain')
        .values({ id: ONLY, keys_json })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ keys_json }))
        .execute();
      await logKeys(tx, keys);
    });
  },
  /** The ids of all keys that signed a version. */
  async signers(): Promise<string[]> {
    const keyIds: string[] = [];
    // A loose index scan by hand: neither database does one for `distinct`.
    for (let after = ''; ; ) {
      const row = await db
        .selectFrom('versions')
        .select('key_id')
        .where('key_id', 'is not', null)
        .where('key_id', '>', after)
        .orderBy('key_id')
        .limit(1)
        .executeTakeFirst();
      if (!row) return keyIds;
      after = String(row.key_id);
      keyIds.push(after);
    }
  },
  /** The signed versions after a version, ordered by app and version. */
  async signedAfter(ref: VersionRef | null, limit: number): Promise<SignedVersion[]> {
    const rows = await db
      .selectFrom('versions')
      .select(['app_id', 'version', 'sha256', 'published_at', 'manifest_json', 'signature', 'key_id'])
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
      signature: String(row.signature),
      keyId: String(row.key_id),
    }));
  },
  async replaceSignature(
    { appId, version }: VersionRef,
    { signature, keyId }: { signature: string; keyId: string },
    _mover: Mover,
  ): Promise<void> {
    await inTransaction(db, async (tx) => {
      const signed = await firstOf(
        tx
          .updateTable('versions')
          .set({ signature, key_id: keyId })
          .where('app_id', '=', appId)
          .where('version', '=', version)
          .returning('state'),
        ({ state }) => state,
      );
      if (signed === 'published') await appendToLog(tx, [await entryOfPublished(tx, { appId, version })]);
    });
  },
});

export type KeyChainStore = ReturnType<typeof createKeyChainStore>;
