import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Fills the requirements of listed apps, one manifest at a time: all of them may not fit into memory. */
async function fillRequirements(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{
    app_id: string;
    version: string;
  }>`select app_id, version from listings`.execute(db);
  for (const { app_id, version } of rows) {
    const found = await sql<{ manifest_json: string }>`
      select manifest_json from versions where app_id = ${app_id} and version = ${version}`.execute(db);
    const { requires } = JSON.parse(found.rows[0]?.manifest_json ?? '{}');
    for (const id of new Set<string>((requires?.apps ?? []).map((app: { id: string }) => app.id)))
      await sql`insert into app_requirements (requires, app_id) values (${id}, ${app_id})`.execute(db);
  }
}

/**
 * Emergencies, and which listed apps require which others.
 * @param textOf the type of text that a database orders by its bytes
 */
export const emergenciesMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table emergencies (
        id ${text} primary key, state ${text} not null, publisher ${text} not null, app_id ${text},
        acts_json ${text} not null, reason ${text} not null, reach_json ${text} not null, effects_json ${text},
        started_by ${text} not null, started_at ${text} not null, decided_by ${text}, decided_at ${text},
        undone_by ${text}, undone_at ${text})`,
      sql`create index emergencies_by_time on emergencies (started_at desc, id)`,
      sql`create table app_requirements (
        requires ${text} not null, app_id ${text} not null, primary key (requires, app_id))`,
      sql`create index app_requirements_by_app on app_requirements (app_id)`,
    ];
    for (const statement of now) await statement.execute(db);
    await fillRequirements(db);
  },
});
