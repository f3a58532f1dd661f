import { randomUUID } from 'node:crypto';
import { type Kysely, PostgresAdapter, type SqlBool, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { greatestOf } from '../../domain/versions/latest.ts';
import type { Tables } from '../../platform/database/schema.ts';
import { assignmentMigration } from './assignment-migration.ts';
import { changesMigration } from './changes-migration.ts';
import { confirmations } from './confirmations-migration.ts';
import { conversationMigration } from './conversation-migration.ts';
import { decisionsMigration } from './decisions-migration.ts';
import { emergenciesMigration } from './emergencies-migration.ts';
import { featuredMigration } from './featured-migration.ts';
import { newestUploads, plans, publisherOrders, registryIndexes } from './index-migrations.ts';
import { livesMigration, mailChoicesMigration } from './lives-migration.ts';
import { looksMigration } from './looks-migration.ts';
import { namesMigration } from './names-migration.ts';
import { peopleMigration, roleMigration } from './people-migration.ts';
import { ratingsMigration } from './ratings-migration.ts';
import { reportsMigration } from './reports-migration.ts';
import { safetyMigration } from './safety-migration.ts';
import { scimMigration } from './scim-migration.ts';
import { searchMigration } from './search-migration.ts';
import { reviewerAccountsMigration, toolsMigration } from './tools-migration.ts';
import { attestationMigration, trustedPublishingMigration } from './trusted-publishing-migration.ts';
import { webhooksMigration } from './webhooks-migration.ts';

const isPostgres = <T>(db: Kysely<T>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Text that both databases order and compare by its bytes. PostgreSQL otherwise orders by the locale of the database; the cursors of
 * catalogue pages depend on this order.
 */
const textOf = <T>(db: Kysely<T>) => (isPostgres(db) ? sql`text collate "C"` : sql`text`);

/** The first tables: publishers, tokens, apps, their versions, and what the catalogue searches. */
const foundation: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
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
    ];
    for (const statement of now) await statement.execute(db);
  },
};

/** The notes of status transitions, and the signed revocation list. */
const revocations: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`alter table version_moves add column note ${text} not null default ''`.execute(db);
    await sql`create table revocation_list (id integer primary key, list_json ${text} not null)`.execute(db);
  },
};

/** The upload times of each developer, for the upload quota. */
const uploadMarks: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`create table upload_marks (developer ${text} not null, marked_at ${text} not null)`.execute(db);
    await sql`create index upload_marks_by_developer on upload_marks (developer, marked_at)`.execute(db);
  },
};

const VERSIONS_AT_ONCE = 500;

/** Records the blobs that existing versions refer to, in batches: a store may have many versions. */
async function putOldBlobsOnRecord(db: Kysely<Tables>): Promise<void> {
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
const leases: Migration = {
  async up(db: Kysely<Tables>) {
    const text = textOf(db);
    const now = [
      sql`alter table versions add column lease_by ${text}`,
      sql`alter table versions add column lease_until ${text}`,
      sql`create table used_blobs (sha256 ${text} primary key)`,
      sql`create table doomed_blobs (sha256 ${text} primary key, doomed_at ${text} not null)`,
      sql`create table blob_owner (id integer primary key, name ${text} not null)`,
    ];
    for (const statement of now) await statement.execute(db);
    await putOldBlobsOnRecord(db);
  },
};

/**
 * Columns that the review queue sorts, filters and shows, so that it need not read manifests; and a covering index of only the versions
 * in review, so that neither a filter nor a count reads rows. The index begins with the state: otherwise SQLite would prefer the other
 * index that does. The reasons fit into an index entry (2,704 bytes on PostgreSQL): they are few, and contain each warning at most
 * once.
 */
const reviewQueue: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`alter table versions add column name ${text} not null default ''`,
      sql`alter table versions add column superseded integer not null default 0`,
      sql`alter table versions add column locked_by ${text}`,
      sql`alter table versions add column locked_until ${text}`,
      sql`create index versions_in_review on versions (
        state, superseded, submitted_at, app_id, version, publisher, locked_by, locked_until, reasons_json)
        where state = 'in_review'`,
      sql`create index apps_by_publisher on apps (publisher)`,
    ];
    for (const statement of now) await statement.execute(db);
    await fillReviewColumns(db);
  },
};

type StoredVersion = { app_id: string; version: string };

/** Reads one manifest at a time: all of them may not fit into memory. */
async function fillReviewColumns(db: Kysely<unknown>): Promise<void> {
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
const auditLog: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const postgres = isPostgres(db);
    const id = postgres
      ? sql`bigint generated always as identity primary key`
      : sql`integer primary key autoincrement`;
    const fresh = postgres ? sql`gen_random_uuid()` : sql`lower(hex(randomblob(16)))`;
    const now = [
      sql`create table audit_log (
        id ${id}, at ${text} not null, actor ${text} not null, action ${text} not null, app_id ${text}, version ${text},
        publisher ${text}, token_id ${text}, address ${text}, request_id ${text}, detail_json ${text} not null)`,
      ...['actor', 'action', 'app_id', 'publisher'].map(
        (column) =>
          sql`create index ${sql.ref(`audit_log_by_${column}`)} on audit_log (${sql.ref(column)}, id)`,
      ),
      sql`create index audit_log_by_at on audit_log (at)`,
      ...ONLY_GROWS[postgres ? 'postgres' : 'sqlite'],
      sql`alter table tokens add column id ${text} not null default ''`,
      sql`update tokens set id = ${fresh}`,
      sql`create unique index tokens_by_id on tokens (id)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
};

/** Responses of OAuth servers, relayed to clients. */
const relay: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table relay_entries (
        state_hash ${text} primary key, sealed ${text}, network ${text} not null, expires_at ${text} not null)`,
      sql`create index relay_entries_by_network on relay_entries (network, expires_at)`,
      sql`create index relay_entries_by_expiry on relay_entries (expires_at)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
};

/**
 * Whether the publisher retracted a version. Before, only the note said so, and a moderator may write the same text. For existing
 * versions the audit log is the source.
 */
const retractions: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table versions add column retracted integer not null default 0`.execute(db);
    await sql`update versions set retracted = 1 where state = 'rejected' and exists (
      select 1 from audit_log where action = 'version.withdraw' and audit_log.app_id = versions.app_id
        and audit_log.version = versions.version)`.execute(db);
  },
};

/** The public keys of the store, so that a different key is detected. */
const keyChain: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table key_chain (id integer primary key, keys_json ${textOf(db)} not null)`.execute(db);
  },
};

/** The access rules that an administrator chose. */
const accessRules: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`create table access_rules (rule ${text} primary key, choice ${text} not null)`.execute(db);
  },
};

/**
 * Binds responses to clients, and records which clients wait. The default lets a process of an earlier version, which knows no binding,
 * park responses during an upgrade without losing them.
 */
const relayBinding: Migration = {
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`alter table relay_entries add column browser ${text}`,
      sql`alter table relay_entries add column ticket_hash ${text}`,
      sql`alter table relay_entries add column confirmed integer not null default 1`,
      sql`alter table relay_entries add column tries integer not null default 0`,
      sql`create index relay_entries_by_ticket on relay_entries (ticket_hash) where ticket_hash is not null`,
      sql`create table relay_clients (
        state_hash ${text} not null, network ${text} not null, site ${text} not null, app_id ${text},
        expires_at ${text} not null, primary key (state_hash, network))`,
      sql`create index relay_clients_by_site on relay_clients (site, expires_at)`,
      sql`create index relay_clients_by_expiry on relay_clients (expires_at)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
};

/** Who added each member, so that a recovery of an account whose address was never proved ends what it gave to others. */
const memberAdders: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table members add column added_by ${textOf(db)}`.execute(db);
    await sql`create index members_by_adder on members (added_by) where added_by is not null`.execute(db);
  },
};

/** All migrations by name, in the order in which they run. A released migration is never edited. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-revocations': revocations,
  '0003-upload-marks': uploadMarks,
  '0004-leases': leases,
  '0005-review-queue': reviewQueue,
  '0006-audit-log': auditLog,
  '0007-people': peopleMigration(textOf, randomUUID),
  '0008-relay': relay,
  '0009-search': searchMigration(textOf, isPostgres),
  '0010-ratings': ratingsMigration(textOf, isPostgres),
  '0011-changes': changesMigration,
  '0012-retractions': retractions,
  '0013-names': namesMigration(textOf),
  '0014-key-chain': keyChain,
  '0015-access-rules': accessRules,
  '0016-plans': plans,
  '0017-conversation': conversationMigration(textOf),
  '0018-assignment': assignmentMigration(textOf),
  '0019-featured': featuredMigration(textOf),
  '0020-newest-uploads': newestUploads,
  '0021-publisher-orders': publisherOrders,
  '0022-safety': safetyMigration(textOf),
  '0023-relay-binding': relayBinding,
  '0024-emergencies': emergenciesMigration(textOf),
  '0025-reports': reportsMigration(textOf),
  '0026-tools': toolsMigration(textOf),
  '0027-member-adders': memberAdders,
  '0028-registry-indexes': registryIndexes,
  '0029-trusted-publishing': trustedPublishingMigration(textOf),
  '0030-webhooks': webhooksMigration(textOf),
  '0031-confirmations': confirmations,
  '0032-decisions': decisionsMigration(textOf),
  '0033-looks': looksMigration(textOf),
  '0034-lives': livesMigration(textOf, isPostgres),
  '0035-mail-choices': mailChoicesMigration(textOf),
  '0036-attestations': attestationMigration(textOf),
  '0037-scim': scimMigration(textOf),
  '0038-roles': roleMigration(textOf),
  '0039-reviewer-accounts': reviewerAccountsMigration(textOf),
};

/** The schema versions of the store, oldest first. A database has the last one that ran on it. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/**
 * The migrations that have run on a database, in the order of their names.
 * @throws when a newer program has changed the tables: this program could misread or lose its data
 */
async function executedMigrations<T>(db: Kysely<T>): Promise<string[]> {
  const executed = sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  // A new database has no such table.
  const { rows } = await executed.catch(() => ({ rows: [] }));
  const names = rows.map(({ name }) => name);
  const newer = names.filter((name) => !(name in MIGRATIONS));
  if (newer.length === 0) return names;
  throw new Error(
    `A newer version of the store has changed this database (${newer.join(', ')}). Use that version or a later one, or restore the backup that was taken before the upgrade.`,
  );
}

/**
 * Brings the tables up to date.
 * @param last name of the last migration to run, for the database of an earlier store
 * @throws when a newer program has changed the tables, or when a migration fails, which is then rolled back
 */
export async function migrate<T>(db: Kysely<T>, last?: string): Promise<void> {
  const executed = await executedMigrations(db);
  // The usual start: the migrator would look at every table, and lock the database, only to find nothing to do.
  if (last === undefined && executed.length === MIGRATION_NAMES.length) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw error;
}
