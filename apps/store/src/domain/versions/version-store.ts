import type { Issue, Manifest, PermissionDiff, VersionState } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { freeAt } from '../../platform/database/holds.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { greatestOf } from './latest.ts';
import type { Transition } from './states.ts';

/** Names one version of one app. */
export type VersionRef = { appId: string; version: string };

/** A picture of a version that is served on its own. */
export type PublicFile = { path: string; sha256: string; type: string; size: number };

/** A version as it is uploaded. */
export type Upload = VersionRef & {
  publisher: string;
  sha256: string;
  /** Bytes of the zip. */
  size: number;
  manifest: Manifest;
  readme: string;
  changelog: string;
  files: PublicFile[];
  /** Warnings of the checks. */
  issues: Issue[];
  submittedAt: string;
  submittedBy: string;
};

/** A version as it stands. What is not known yet is null. */
export type VersionRecord = Upload & {
  state: VersionState;
  reasons: string[];
  permissionDiff: PermissionDiff | null;
  notes: string;
  /** Whether its publisher took it back, which leaves it `rejected`. */
  retracted: boolean;
  publishedAt: string | null;
  signature: string | null;
  keyId: string | null;
};

/** What it takes to serve a version, or to say why not. */
export type ServedVersion = Pick<
  VersionRecord,
  'appId' | 'version' | 'state' | 'notes' | 'sha256' | 'files' | 'signature' | 'keyId' | 'publishedAt'
> & {
  /** Whether its app is listed, and not hidden. */
  isListed: boolean;
};

/** Which process works on a version, and until when no other may take it over. */
export type Lease = { by: string; until: string };

/** What may change when a version moves. A move ends the lease, unless it brings one for the step after it. */
export type VersionChange = Partial<
  Pick<
    VersionRecord,
    'reasons' | 'permissionDiff' | 'notes' | 'retracted' | 'publishedAt' | 'signature' | 'keyId'
  >
> & { lease?: Lease };

/** A published version without its manifest and its files. */
export type PublishedRecord = Pick<
  VersionRecord,
  'appId' | 'version' | 'sha256' | 'size' | 'changelog' | 'publishedAt' | 'signature' | 'keyId'
>;

/** Who moves a version, and when. */
export type Mover = { by: string; at: string };

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

/** Only a version in review has these; whatever moves it ends its review. */
const REVIEW_ENDED = {
  locked_by: null,
  locked_until: null,
  locked_page: null,
  assigned_to: null,
  changes_requested_at: null,
};

const at = (db: Database, { appId, version }: VersionRef) =>
  db.selectFrom('versions').where('app_id', '=', appId).where('version', '=', version);

/** Written out, not handed over as a parameter: SQLite uses a partial index only when it can see that it covers. */
const IS_PUBLISHED = sql<SqlBool>`state = 'published'`;

/** Of the versions of an app the last upload alone; written out likewise. */
const IS_NEWEST = sql<SqlBool>`superseded = 0`;

/** No person has to do with these; the words are those of the index `versions_under_way`. */
export const IS_UNDER_WAY = sql<SqlBool>`state in ('submitted', 'checking', 'approved')`;

/** A state in which a version stands for seconds. */
export type PassingState = Extract<VersionState, 'submitted' | 'checking' | 'approved'>;

const publishedOf = (db: Database, appId: string) =>
  db.selectFrom('versions').where('app_id', '=', appId).where(IS_PUBLISHED);

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

/** It is asked for each download: all that must be known is one small row. */
const servedQuery = (db: Database) =>
  db
    .selectFrom('versions')
    .leftJoin('listings', 'listings.app_id', 'versions.app_id')
    .select([
      'state',
      'notes',
      'sha256',
      'files_json',
      'signature',
      'key_id',
      'published_at',
      'listings.hidden',
    ])
    .where('versions.app_id', '=', '')
    .where('versions.version', '=', '');

/** Versions and their moves, in the database. */
export function createVersionStore(db: Database) {
  const served = prepare(db, servedQuery(db));
  return {
    /** Keeps an upload as `submitted`. */
    add(upload: Upload): Promise<void> {
      return inTransaction(db, async (tx) => {
        // Of the versions of an app only the newest can have stood without a newer one.
        await tx
          .updateTable('versions')
          .set({ superseded: 1 })
          .where('app_id', '=', upload.appId)
          .where(IS_NEWEST)
          .execute();
        await tx.insertInto('versions').values(rowOf(upload)).execute();
      });
    },
    async find(ref: VersionRef): Promise<VersionRecord | null> {
      const row = await at(db, ref).selectAll().executeTakeFirst();
      return row ? versionOf(row) : null;
    },
    /** What it takes to serve a version, in whatever state it is. */
    async served({ appId, version }: VersionRef): Promise<ServedVersion | null> {
      const [row] = await served(appId, version);
      if (!row) return null;
      return {
        appId,
        version,
        state: row.state as VersionState,
        notes: row.notes,
        sha256: row.sha256,
        files: JSON.parse(row.files_json),
        signature: row.signature,
        keyId: row.key_id,
        publishedAt: row.published_at,
        isListed: row.hidden === 0,
      };
    },
    /** Those of some versions that are there, in no order. */
    async findAll(refs: readonly VersionRef[]): Promise<VersionRecord[]> {
      if (refs.length === 0) return [];
      const wanted = sql.join(refs.map(({ appId, version }) => sql`(${appId}, ${version})`));
      const rows = await db
        .selectFrom('versions')
        .selectAll()
        .where(sql<SqlBool>`(app_id, version) in (values ${wanted})`)
        .execute();
      return rows.map(versionOf);
    },
    /** The greatest version number that was uploaded of an app: each upload is greater than those that it supersedes. */
    async newestUpload(appId: string): Promise<string | null> {
      const rows = await db
        .selectFrom('versions')
        .select('version')
        .where('app_id', '=', appId)
        .where(IS_NEWEST)
        .execute();
      return greatestOf(rows.map(({ version }) => version));
    },
    /** The version of an app that the catalogue lists, that of a suspended app too: the latest of those published. */
    async latestPublished(appId: string): Promise<string | null> {
      const row = await db
        .selectFrom('listings')
        .select('version')
        .where('app_id', '=', appId)
        .executeTakeFirst();
      return row?.version ?? null;
    },
    /** The published versions of an app by number and time, in no order. */
    async publishedNumbers(appId: string): Promise<{ version: string; publishedAt: string }[]> {
      const rows = await publishedOf(db, appId).select(['version', 'published_at']).execute();
      return rows.flatMap(({ version, published_at }) =>
        published_at === null ? [] : [{ version, publishedAt: published_at }],
      );
    },
    /** The published versions of an app in no order, without what their manifests say. */
    async published(appId: string): Promise<PublishedRecord[]> {
      const columns = [
        'version',
        'sha256',
        'size',
        'changelog',
        'published_at',
        'signature',
        'key_id',
      ] as const;
      const rows = await publishedOf(db, appId).select(columns).execute();
      return rows.map(({ published_at: publishedAt, key_id: keyId, ...row }) => ({
        appId,
        ...row,
        publishedAt,
        keyId,
      }));
    },
    /** The versions in a state that nobody holds a lease on at a time, oldest first. */
    async abandoned(state: PassingState, time: string): Promise<VersionRef[]> {
      const rows = await db
        .selectFrom('versions')
        .select(['app_id as appId', 'version'])
        .where(IS_UNDER_WAY)
        .where('state', '=', state)
        .where(freeAt('versions.lease_until', time))
        .orderBy('submitted_at')
        .execute();
      return rows;
    },
    /** Takes a lease on a version in a state; false when the version has moved on, or another's lease still holds. */
    async claim(ref: VersionRef, state: VersionState, lease: Lease, time: string): Promise<boolean> {
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
    /**
     * Moves a version if it still stands where the move begins, and puts that on record, with the notes it brings; false
     * when it does not.
     */
    move(
      ref: VersionRef,
      { from, to }: Transition,
      change: VersionChange,
      { by, at: movedAt }: Mover,
    ): Promise<boolean> {
      return inTransaction(db, async (tx) => {
        const moved = await tx
          .updateTable('versions')
          .set({ state: to, ...columnsOf(change), ...REVIEW_ENDED })
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

export type VersionStore = ReturnType<typeof createVersionStore>;

/** Runs work in a transaction, or in the one that is already under way. */
const inTransaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);
