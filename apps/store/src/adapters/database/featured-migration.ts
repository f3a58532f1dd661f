import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The apps that administrators feature, and the indexes for the sort orders of apps and users.
 * @param textOf the type of text that a database orders by its bytes
 */
export const featuredMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table featured_apps (
        app_id ${text} primary key references apps (app_id), place integer not null)`,
      sql`drop index apps_by_publisher`,
      sql`create index apps_by_publisher on apps (publisher, app_id)`,
      sql`create index apps_by_time on apps (created_at, app_id)`,
      sql`create index people_by_name on people (lower(name), id)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
