import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The versions of the policy, the decisions that cite its rules, and their appeals.
 * @param textOf the type of text that a database orders by its bytes
 */
export const decisionsMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table policies (
        version integer primary key, intro ${text} not null, rules_json ${text} not null, note ${text} not null,
        published_at ${text} not null)`,
      sql`create table decisions (
        id ${text} primary key, kind ${text} not null, publisher ${text} not null, app_id ${text}, version ${text},
        rule ${text} not null, policy integer not null, note ${text} not null, decided_by ${text} not null,
        decided_at ${text} not null, appeal_state ${text}, appealed_at ${text}, answer ${text}, answered_by ${text},
        answered_at ${text})`,
      sql`create index decisions_by_publisher on decisions (publisher, decided_at desc, id)`,
      sql`create index decisions_by_time on decisions (decided_at, kind, rule)`,
      sql`create index decisions_by_appeal on decisions (appealed_at, appeal_state, id) where appealed_at is not null`,
      sql`create index decisions_open on decisions (appeal_state, appealed_at, id) where appeal_state = 'open'`,
      sql`create table appeal_messages (
        decision_id ${text} not null references decisions (id), number integer not null, side ${text} not null,
        author ${text} not null, written_at ${text} not null, text ${text} not null, primary key (decision_id, number))`,
      sql`create index reports_by_time on reports (reported_at, category, state)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
