import type { VersionState } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type {
  Lease,
  Upload,
  VersionChange,
  VersionRecord,
  VersionRef,
  VersionStore,
} from '../../domain/versions/version-store.ts';
import { freeAt } from './holds.ts';
import type { Database, Tables } from './schema.ts';

/** A row as the domain knows it. */
const versionOf = (row: Selectable<Tables['versions']>): VersionRecord => ({
  appId: row.app_id,
  version: row.version,
  publisher: row.publisher,
  state: row.state as VersionState,
  sha256: row.sha256,
  size: row.size,
  manifest: JSON.parse(row.manifest_json),
  readme: row.readme,
  changelog: row.changelog,
  files: JSON.parse(row.files_json),
  issues: JSON.parse(row.issues_json),
  reasons: JSON.parse(row.reasons_json),
  permissionDiff: row.permission_diff_json === null ? null : JSON.parse(row.permission_diff_json),
  notes: row.notes,
  retracted: row.retracted === 1,
  submittedAt: row.submitted_at,
  submittedBy: row.submitted_by,
  publishedAt: row.published_at,
  signature: row.signature,
  keyId: row.key_id,
});

const columnsOf = ({
  reasons,
  permissionDiff,
  notes,
  retracted,
  publishedAt,
  signature,
  keyId,
  lease,
}: VersionChange) => ({
  ...(reasons !== undefined && { reasons_json: JSON.stringify(reasons) }),
  ...(permissionDiff !== undefined && {
    permission_diff_json: permissionDiff && JSON.stringify(permissionDiff),
  }),
  ...(notes !== undefined && { notes }),
  ...(retracted !== undefined && { retracted: retracted ? (1 as const) : (0 as const) }),
  ...(publishedAt !== undefined && { published_at: publishedAt }),
  ...(signature !== undefined && { signature }),
  ...(keyId !== undefined && { key_id: keyId }),
  ...leaseColumns(lease ?? null),
});

const leaseColumns = (lease: Lease | null) => ({
  lease_by: lease?.by ?? null,
  lease_until: lease?.until ?? null,
});

const at = (db: Database, { appId, version }: VersionRef) =>
  db.selectFrom('versions').where('app_id', '=', appId).where('version', '=', version);

const publishedOf = (db: Database, appId: string) =>
  db.selectFrom('versions').where('app_id', '=', appId).where('state', '=', 'published');

/** The row of a fresh upload. */
const rowOf = (upload: Upload) => ({
  app_id: upload.appId,
  version: upload.version,
  publisher: upload.publisher,
  state: 'submitted',
  sha256: upload.sha256,
  size: upload.size,
  manifest_json: JSON.stringify(upload.manifest),
  readme: upload.readme,
  changelog: upload.changelog,
  files_json: JSON.stringify(upload.files),
  issues_json: JSON.stringify(upload.issues),
  reasons_json: '[]',
  notes: '',
  submitted_at: upload.submittedAt,
  submitted_by: upload.submittedBy,
  name: upload.manifest.name,
  superseded: 0 as const,
  retracted: 0 as const,
});

/** Versions and their moves, in the database. */
export function createVersionStore(db: Database): VersionStore {
  return {
    add(upload) {
      return inTransaction(db, async (tx) => {
        // Of the versions of an app only the newest can have stood without a newer one.
        await tx
          .updateTable('versions')
          .set({ superseded: 1 })
          .where('app_id', '=', upload.appId)
          .where('superseded', '=', 0)
          .execute();
        await tx.insertInto('versions').values(rowOf(upload)).execute();
      });
    },
    async find(ref) {
      const row = await at(db, ref).selectAll().executeTakeFirst();
      return row ? versionOf(row) : null;
    },
    async findAll(refs) {
      if (refs.length === 0) return [];
      const wanted = sql.join(refs.map(({ appId, version }) => sql`(${appId}, ${version})`));
      const rows = await db
        .selectFrom('versions')
        .selectAll()
        .where(sql<SqlBool>`(app_id, version) in (values ${wanted})`)
        .execute();
      return rows.map(versionOf);
    },
    async numbersOf(appId) {
      const rows = await db.selectFrom('versions').select('version').where('app_id', '=', appId).execute();
      return rows.map(({ version }) => version);
    },
    async publishedNumbers(appId) {
      const rows = await publishedOf(db, appId).select(['version', 'published_at']).execute();
      return rows.flatMap(({ version, published_at }) =>
        published_at === null ? [] : [{ version, publishedAt: published_at }],
      );
    },
    async published(appId) {
      return (await publishedOf(db, appId).selectAll().execute()).map(versionOf);
    },
    async inState(states) {
      const rows = await db
        .selectFrom('versions')
        .selectAll()
        .where('state', 'in', states)
        .orderBy('submitted_at')
        .orderBy('app_id')
        .orderBy('version')
        .execute();
      return rows.map(versionOf);
    },
    async abandoned(state, time) {
      const rows = await db
        .selectFrom('versions')
        .select(['app_id as appId', 'version'])
        .where('state', '=', state)
        .where(freeAt('versions.lease_until', time))
        .orderBy('submitted_at')
        .execute();
      return rows;
    },
    async claim(ref, state, lease, time) {
      const claimed = await db
        .updateTable('versions')
        .set(leaseColumns(lease))
        .where('app_id', '=', ref.appId)
        .where('version', '=', ref.version)
        .where('state', '=', state)
        .where(freeAt('versions.lease_until', time))
        .returning('version')
        .executeTakeFirst();
      return claimed !== undefined;
    },
    move(ref, { from, to }, change, { by, at: movedAt }) {
      return inTransaction(db, async (tx) => {
        const moved = await tx
          .updateTable('versions')
          .set({ state: to, ...columnsOf(change) })
          .where('app_id', '=', ref.appId)
          .where('version', '=', ref.version)
          .where('state', '=', from)
          .returning('version')
          .executeTakeFirst();
        if (!moved) return false;
        const names = { app_id: ref.appId, version: ref.version };
        const move = {
          from_state: from,
          to_state: to,
          moved_by: by,
          moved_at: movedAt,
          note: change.notes ?? '',
        };
        await tx
          .insertInto('version_moves')
          .values({ ...names, ...move })
          .execute();
        return true;
      });
    },
  };
}

/** Runs work in a transaction, or in the one that is already under way. */
const inTransaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);
