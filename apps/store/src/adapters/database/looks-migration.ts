import { looksOf } from '@svc/validator';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Apps whose looks are added at once. */
const BATCH = 200;

/**
 * The looks of the names of listed apps, and later of their icons, for finding apps that look alike.
 * @param textOf the type of text that a database orders by its bytes
 */
export const looksMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    await sql`create table app_looks (look ${text} not null, app_id ${text} not null, primary key (look, app_id))`.execute(
      db,
    );
    await sql`create index app_looks_by_app on app_looks (app_id)`.execute(db);
    await sql`alter table listings add column icon_look ${text}`.execute(db);
    let after = '';
    for (;;) {
      const { rows } = await sql<{ app_id: string; name: string }>`
        select app_id, name from listings where app_id > ${after} order by app_id limit ${sql.lit(BATCH)}`.execute(
        db,
      );
      for (const { app_id, name } of rows)
        for (const look of looksOf(name))
          await sql`insert into app_looks (look, app_id) values (${look}, ${app_id})`.execute(db);
      const last = rows.at(-1);
      if (!last) return;
      after = last.app_id;
    }
  },
});
