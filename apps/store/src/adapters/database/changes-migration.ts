import type { PermissionDiff } from '@svc/contracts';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { diffOfVersions } from '../../domain/versions/version-status.ts';
import type { Tables } from '../../platform/database/schema.ts';

const VERSIONS_AT_ONCE = 100;

type Row = Pick<
  Tables['versions'],
  'app_id' | 'version' | 'manifest_json' | 'files_json' | 'permission_diff_json'
>;

const COLUMNS = ['app_id', 'version', 'manifest_json', 'files_json', 'permission_diff_json'] as const;

const footprinted = ({ version, manifest_json, files_json }: Row) => ({
  version,
  manifest: JSON.parse(manifest_json),
  files: JSON.parse(files_json),
});

async function withChanges(db: Kysely<Tables>, row: Row): Promise<PermissionDiff | null> {
  const stored = JSON.parse(row.permission_diff_json ?? 'null') as Partial<PermissionDiff> | null;
  if (!stored || stored.changes) return null;
  const base =
    stored.baseVersion &&
    (await db
      .selectFrom('versions')
      .select(COLUMNS)
      .where('app_id', '=', row.app_id)
      .where('version', '=', stored.baseVersion)
      .executeTakeFirst());
  return diffOfVersions(base ? footprinted(base) : null, footprinted(row));
}

/** Computes the list of changes for diffs that were stored without one, from the two manifests on record. */
export const changesMigration: Migration = {
  async up(db: Kysely<Tables>) {
    let after = { app_id: '', version: '' };
    for (;;) {
      const rows = await db
        .selectFrom('versions')
        .select(COLUMNS)
        .where(sql<SqlBool>`(app_id, version) > (${after.app_id}, ${after.version})`)
        .orderBy('app_id')
        .orderBy('version')
        .limit(VERSIONS_AT_ONCE)
        .execute();
      const last = rows.at(-1);
      if (!last) return;
      for (const row of rows) {
        const diff = await withChanges(db, row);
        if (!diff) continue;
        await db
          .updateTable('versions')
          .set({ permission_diff_json: JSON.stringify(diff) })
          .where('app_id', '=', row.app_id)
          .where('version', '=', row.version)
          .execute();
      }
      after = last;
    }
  },
};
