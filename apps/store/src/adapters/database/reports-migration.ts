import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Reports of apps by users: one of each user about a version.
 * @param textOf the type of text that a database orders by its bytes
 */
export const reportsMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table reports (
        id ${text} primary key, app_id ${text} not null, version ${text} not null, publisher ${text} not null,
        person_id ${text} not null, category ${text} not null, evidence ${text} not null, state ${text} not null,
        note ${text}, reported_at ${text} not null, decided_by ${text}, decided_at ${text},
        unique (person_id, app_id, version),
        foreign key (app_id, version) references versions (app_id, version))`,
      sql`create index reports_by_person on reports (person_id, reported_at desc, id)`,
      sql`create index reports_open on reports (reported_at desc) where state = 'open'`,
      sql`create index reports_by_version on reports (app_id, version)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
