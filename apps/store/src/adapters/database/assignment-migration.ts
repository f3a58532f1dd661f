import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The assigned moderator of a version in review, and the page that holds its lock.
 * @param textOf the type of text that a database orders by its bytes
 */
export const assignmentMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`alter table versions add column locked_page ${text}`.execute(db);
    await sql`alter table versions add column assigned_to ${text}`.execute(db);
  },
});
