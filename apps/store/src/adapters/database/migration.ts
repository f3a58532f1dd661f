import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database } from '../../platform/database/schema.ts';

export type Sql = RawBuilder<unknown>;

const isOnPostgres = <T>(db: Kysely<T>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * A migration that runs statements.
 * @param statements `text` is text that both databases order and compare by its bytes. PostgreSQL otherwise orders by the locale of the
 *   database; the cursors of catalogue pages depend on this order
 * @param fill changes the rows of an older store afterwards
 */
export const tables = (
  statements: (text: Sql, isPostgres: boolean) => readonly Sql[],
  fill?: (db: Database) => Promise<void>,
): Migration => ({
  async up(db: Database) {
    const isPostgres = isOnPostgres(db);
    const text = isPostgres ? sql`text collate "C"` : sql`text`;
    for (const statement of statements(text, isPostgres)) await statement.execute(db);
    await fill?.(db);
  },
});
