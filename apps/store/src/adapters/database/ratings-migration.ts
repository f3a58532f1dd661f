import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

type Sql = RawBuilder<unknown>;

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

/**
 * Installs and ratings.
 * @param textOf the type of text that a database orders by its bytes
 */
export const ratingsMigration = (
  textOf: (db: Kysely<unknown>) => Sql,
  isPostgres: (db: Kysely<unknown>) => boolean,
): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    // SQLite would otherwise store the rows twice: in the table and in the index of the key.
    const keyOnly = isPostgres(db) ? sql`` : sql`without rowid`;
    const now = [...installTables(text, keyOnly), ...ratingTables(text)];
    for (const statement of now) await statement.execute(db);
  },
});
