import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Tokens with which the store lists servers that need a sign-in. */
export const reviewerAccountsMigration = (
  textOf: (db: Kysely<unknown>) => RawBuilder<unknown>,
): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`create table reviewer_accounts (
      app_id ${text} primary key, host ${text} not null, sealed ${text} not null, deposited_by ${text} not null,
      deposited_at ${text} not null)`.execute(db);
  },
});

/**
 * The tools that the servers of versions had, and the checks of the servers of listed apps. The first checks of apps that are listed
 * already are due at once: the prober takes them a few at a time.
 * @param textOf the type of text that a database orders by its bytes
 */
export const toolsMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table tool_records (
        app_id ${text} not null, version ${text} not null, source ${text} not null, recorded_at ${text} not null,
        tools_json ${text} not null, primary key (app_id, version))`,
      sql`create table server_checks (
        app_id ${text} primary key, next_at ${text} not null, drift_since ${text}, state_json ${text} not null)`,
      sql`create index server_checks_by_time on server_checks (next_at, app_id)`,
      sql`create index server_checks_with_drift on server_checks (drift_since, app_id) where drift_since is not null`,
      sql`insert into server_checks (app_id, next_at, state_json) select app_id, updated_at, '{}' from listings`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
