import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The messages of moderators and publishers about a version, and whether changes are requested.
 * @param textOf the type of text that a database orders by its bytes
 */
export const conversationMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`create table review_messages (
      app_id ${text} not null, version ${text} not null, number integer not null check (number > 0),
      sent_at ${text} not null, author ${text} not null, side ${text} not null, role ${text} not null,
      requests_changes integer not null default 0, text ${text} not null,
      primary key (app_id, version, number),
      foreign key (app_id, version) references versions (app_id, version))`.execute(db);
    await sql`alter table versions add column changes_requested_at ${text}`.execute(db);
  },
});
