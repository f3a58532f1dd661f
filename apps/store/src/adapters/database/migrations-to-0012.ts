import type { PermissionDiff } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { greatestOf } from '../../core/domain/versions/version-record.ts';
import { diffOfVersions } from '../../core/domain/versions/version-status.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { type Sql, tables } from './migration.ts';

/** The first tables: publishers, tokens, apps, their versions, and what the catalogue searches. */
export const foundation = tables((text) => [
  sql`create table publishers (
        slug ${text} primary key, name ${text} not null, website ${text}, verified integer not null default 0,
        suspended integer not null default 0, created_at ${text} not null)`,
  sql`create table tokens (
        hash ${text} primary key, publisher ${text} not null references publishers (slug), scopes_json ${text} not null,
        created_at ${text} not null, expires_at ${text} not null)`,
  sql`create table apps (
        app_id ${text} primary key, publisher ${text} not null references publishers (slug),
        suspended integer not null default 0, created_at ${text} not null)`,
  sql`create table versions (
        app_id ${text} not null references apps (app_id), version ${text} not null,
        publisher ${text} not null references publishers (slug), state ${text} not null, sha256 ${text} not null,
        size integer not null, manifest_json ${text} not null, readme ${text} not null, changelog ${text} not null,
        files_json ${text} not null, issues_json ${text} not null, reasons_json ${text} not null default '[]',
        permission_diff_json ${text}, notes ${text} not null default '', submitted_at ${text} not null,
        submitted_by ${text} not null, published_at ${text}, signature ${text}, key_id ${text},
        primary key (app_id, version))`,
  sql`create index versions_by_state on versions (state, submitted_at)`,
  sql`create table version_moves (
        app_id ${text} not null, version ${text} not null, from_state ${text} not null, to_state ${text} not null,
        moved_by ${text} not null, moved_at ${text} not null,
        foreign key (app_id, version) references versions (app_id, version))`,
  sql`create index version_moves_by_version on version_moves (app_id, version)`,
  sql`create table listings (
        app_id ${text} primary key references apps (app_id), version ${text} not null, name ${text} not null,
        name_key ${text} not null, search_text ${text} not null, first_published_at ${text} not null,
        updated_at ${text} not null, installs integer not null default 0,
        rating_average double precision not null default 0, rating_count integer not null default 0,
        foreign key (app_id, version) references versions (app_id, version))`,
  sql`create index listings_by_installs on listings (installs desc, app_id)`,
  sql`create index listings_by_updated on listings (updated_at desc, app_id)`,
  sql`create table listing_categories (
        app_id ${text} not null references listings (app_id) on delete cascade, category ${text} not null,
        primary key (category, app_id))`,
]);

/** The notes of status transitions, and the signed revocation list. */
export const revocations = tables((text) => [
  sql`alter table version_moves add column note ${text} not null default ''`,
  sql`create table revocation_list (id integer primary key, list_json ${text} not null)`,
]);

/** The upload times of each developer, for the upload quota. */
export const uploadMarks = tables((text) => [
  sql`create table upload_marks (developer ${text} not null, marked_at ${text} not null)`,
  sql`create index upload_marks_by_developer on upload_marks (developer, marked_at)`,
]);

const VERSIONS_AT_ONCE = 500;

/** Records the blobs that existing versions refer to, in batches: a store may have many versions. */
async function putOldBlobsOnRecord(db: Database): Promise<void> {
  let after = { app_id: '', version: '' };
  for (;;) {
    const rows = await db
      .selectFrom('versions')
      .select(['app_id', 'version', 'sha256', 'files_json'])
      .where(sql<SqlBool>`(app_id, version) > (${after.app_id}, ${after.version})`)
      .orderBy('app_id')
      .orderBy('version')
      .limit(VERSIONS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    const files = rows.flatMap(({ files_json }) => JSON.parse(files_json) as { sha256: string }[]);
    const hashes = new Set([...rows, ...files].map(({ sha256 }) => sha256));
    await db
      .insertInto('used_blobs')
      .values(Array.from(hashes, (sha256) => ({ sha256 })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    after = last;
  }
}

/** Leases of versions; the blobs that versions refer to, the blobs that a sweep removes, and the store that owns them. */
export const leases = tables(
  (text) => [
    sql`alter table versions add column lease_by ${text}`,
    sql`alter table versions add column lease_until ${text}`,
    sql`create table used_blobs (sha256 ${text} primary key)`,
    sql`create table doomed_blobs (sha256 ${text} primary key, doomed_at ${text} not null)`,
    sql`create table blob_owner (id integer primary key, name ${text} not null)`,
  ],
  putOldBlobsOnRecord,
);

type StoredVersion = { app_id: string; version: string };

/** Reads one manifest at a time: all of them may not fit into memory. */
async function fillReviewColumns(db: Database): Promise<void> {
  const { rows } = await sql<StoredVersion>`select app_id, version from versions`.execute(db);
  for (const [appId, versions] of Map.groupBy(rows, ({ app_id }) => app_id)) {
    const newest = greatestOf(versions.map(({ version }) => version));
    for (const { version } of versions) {
      const at = sql`app_id = ${appId} and version = ${version}`;
      const held = await sql<{
        manifest_json: string;
      }>`select manifest_json from versions where ${at}`.execute(db);
      const { name } = JSON.parse(held.rows[0]?.manifest_json ?? '{"name":""}');
      const superseded = version === newest ? 0 : 1;
      await sql`update versions set name = ${name}, superseded = ${superseded} where ${at}`.execute(db);
    }
  }
}

/**
 * Columns that the review queue sorts, filters and shows, so that it need not read manifests; and a covering index of only the versions
 * in review, so that neither a filter nor a count reads rows. The index begins with the state: otherwise SQLite would prefer the other
 * index that does. The reasons fit into an index entry (2,704 bytes on PostgreSQL): they are few, and contain each warning at most
 * once.
 */
export const reviewQueue = tables(
  (text) => [
    sql`alter table versions add column name ${text} not null default ''`,
    sql`alter table versions add column superseded integer not null default 0`,
    sql`alter table versions add column locked_by ${text}`,
    sql`alter table versions add column locked_until ${text}`,
    sql`create index versions_in_review on versions (
        state, superseded, submitted_at, app_id, version, publisher, locked_by, locked_until, reasons_json)
        where state = 'in_review'`,
    sql`create index apps_by_publisher on apps (publisher)`,
  ],
  fillReviewColumns,
);

/**
 * Triggers that make the audit log append-only, also for direct access to the database. SQLite fires no delete trigger for a row that
 * `insert or replace` removes (its documentation of ON CONFLICT), so an insert trigger refuses that.
 */
const ONLY_GROWS = {
  sqlite: [
    sql`create trigger audit_log_no_update before update on audit_log
      begin select raise(abort, 'The audit log only grows.'); end`,
    sql`create trigger audit_log_no_delete before delete on audit_log
      begin select raise(abort, 'The audit log only grows.'); end`,
    sql`create trigger audit_log_no_replace before insert on audit_log
      when exists (select 1 from audit_log where id = new.id)
      begin select raise(abort, 'The audit log only grows.'); end`,
  ],
  postgres: [
    sql`create function refuse_audit_change() returns trigger language plpgsql as
      $$ begin raise exception 'The audit log only grows.'; end $$`,
    sql`create trigger audit_log_only_grows before update or delete or truncate on audit_log
      for each statement execute function refuse_audit_change()`,
  ],
};

/** The audit log; and ids of tokens, to which its entries refer. */
export const auditLog = tables((text, isPostgres) => {
  const id = isPostgres
    ? sql`bigint generated always as identity primary key`
    : sql`integer primary key autoincrement`;
  const fresh = isPostgres ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`;
  return [
    sql`create table audit_log (
        id ${id}, at ${text} not null, actor ${text} not null, action ${text} not null, app_id ${text}, version ${text},
        publisher ${text}, token_id ${text}, address ${text}, request_id ${text}, detail_json ${text} not null)`,
    ...['actor', 'action', 'app_id', 'publisher'].map(
      (column) =>
        sql`create index ${sql.ref(`audit_log_by_${column}`)} on audit_log (${sql.ref(column)}, id)`,
    ),
    sql`create index audit_log_by_at on audit_log (at)`,
    ...ONLY_GROWS[isPostgres ? 'postgres' : 'sqlite'],
    sql`alter table tokens add column id ${text} not null default ''`,
    sql`update tokens set id = ${fresh}`,
    sql`create unique index tokens_by_id on tokens (id)`,
  ];
});

/** Responses of OAuth servers, relayed to clients. */
export const relay = tables((text) => [
  sql`create table relay_entries (
        state_hash ${text} primary key, sealed ${text}, network ${text} not null, expires_at ${text} not null)`,
  sql`create index relay_entries_by_network on relay_entries (network, expires_at)`,
  sql`create index relay_entries_by_expiry on relay_entries (expires_at)`,
]);

/** Installations and their counts. */
const installTables = (text: Sql, keyOnly: Sql) => [
  sql`create table store_secrets (name ${text} primary key, secret ${text} not null)`,
  sql`create table app_figures (
    app_id ${text} primary key references apps (app_id), installs integer not null default 0,
    stars_1 integer not null default 0 check (stars_1 >= 0), stars_2 integer not null default 0 check (stars_2 >= 0),
    stars_3 integer not null default 0 check (stars_3 >= 0), stars_4 integer not null default 0 check (stars_4 >= 0),
    stars_5 integer not null default 0 check (stars_5 >= 0))`,
  sql`create table installs (
    id_hash ${text} primary key, app_id ${text} not null references apps (app_id), version ${text} not null,
    counted integer not null, person_id ${text} references people (id)) ${keyOnly}`,
  sql`create index installs_by_person on installs (person_id, app_id) where person_id is not null`,
  sql`create table install_days (
    day ${text} not null, id_hash ${text} not null, version ${text} not null,
    primary key (day, id_hash, version)) ${keyOnly}`,
  sql`create table install_networks (
    day ${text} not null, network_hash ${text} not null, app_id ${text} not null, installs integer not null,
    primary key (day, network_hash, app_id)) ${keyOnly}`,
  sql`create table install_counts (
    app_id ${text} not null references apps (app_id), day ${text} not null, version ${text} not null,
    installs integer not null, updates integer not null, primary key (app_id, day, version)) ${keyOnly}`,
];

/** Reviews of apps, and reports of reviews. */
const ratingTables = (text: Sql) => [
  sql`create table ratings (
    id ${text} primary key, app_id ${text} not null references apps (app_id),
    person_id ${text} not null references people (id), stars integer not null check (stars between 1 and 5),
    title ${text} not null, body ${text} not null, version ${text} not null, created_at ${text} not null,
    updated_at ${text} not null, reply_body ${text}, reply_created_at ${text}, reply_updated_at ${text},
    hidden integer not null default 0, withheld integer not null default 0, note ${text} not null default '',
    waiting_since ${text}, removed_at ${text}, unique (app_id, person_id))`,
  sql`create index ratings_shown on ratings (app_id, created_at, id) where hidden = 0 and withheld = 0`,
  sql`create index ratings_waiting on ratings (waiting_since, id) where waiting_since is not null`,
  sql`create index ratings_by_person on ratings (person_id)`,
  sql`create index ratings_removed on ratings (removed_at) where removed_at is not null`,
  sql`create table rating_flags (
    rating_id ${text} not null references ratings (id) on delete cascade,
    person_id ${text} not null references people (id), by_publisher integer not null, reason ${text} not null,
    note ${text} not null, flagged_at ${text} not null, decided_at ${text}, primary key (rating_id, person_id))`,
  sql`create index rating_flags_decided on rating_flags (decided_at) where decided_at is not null`,
];

/** Installs and ratings. */
export const ratings = tables((text, isPostgres) => {
  // SQLite would otherwise store the rows twice: in the table and in the index of the key.
  const keyOnly = isPostgres ? sql`` : sql`without rowid`;
  return [...installTables(text, keyOnly), ...ratingTables(text)];
});

const DIFFS_AT_ONCE = 100;

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

async function withChanges(db: Database, row: Row): Promise<PermissionDiff | null> {
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
export const changes = tables(
  () => [],
  async (db) => {
    let after = { app_id: '', version: '' };
    for (;;) {
      const rows = await db
        .selectFrom('versions')
        .select(COLUMNS)
        .where(sql<SqlBool>`(app_id, version) > (${after.app_id}, ${after.version})`)
        .orderBy('app_id')
        .orderBy('version')
        .limit(DIFFS_AT_ONCE)
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
);

/**
 * Whether the publisher retracted a version. Before, only the note said so, and a moderator may write the same text. For existing
 * versions the audit log is the source.
 */
export const retractions = tables(() => [
  sql`alter table versions add column retracted integer not null default 0`,
  sql`update versions set retracted = 1 where state = 'rejected' and exists (
      select 1 from audit_log where action = 'version.withdraw' and audit_log.app_id = versions.app_id
        and audit_log.version = versions.version)`,
]);
