import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Records who created each token, so that a recovery or a suspension of that user ends it. The audit log knows those of before. */
async function nameTokenMakers(db: Kysely<unknown>): Promise<void> {
  await sql`update tokens set made_by = person_id where person_id is not null`.execute(db);
  const { rows } = await sql<{ token_id: string; actor: string }>`
    select token_id, actor from audit_log where action = 'token.issue' and actor like 'person:%'`.execute(db);
  for (const { token_id, actor } of rows) {
    const person = actor.slice('person:'.length);
    await sql`update tokens set made_by = ${person} where id = ${token_id}`.execute(db);
  }
}

/**
 * When a session proved the identity of its user, and whether by a passkey; when a user recovered their account; who created a token;
 * the reason of a suspension; and the versions in review that a suspension keeps out of the queue.
 * @param textOf the type of text that a database orders by its bytes
 */
export const safetyMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`alter table sessions add column proved_at ${text}`,
      sql`alter table sessions add column has_passkey integer not null default 0`,
      sql`alter table people add column recovered_at ${text}`,
      sql`alter table tokens add column made_by ${text}`,
      sql`create index tokens_by_maker on tokens (made_by) where made_by is not null`,
      sql`create index invitations_by_inviter on invitations (invited_by)`,
      ...['people', 'publishers', 'apps'].map(
        (table) => sql`alter table ${sql.table(table)} add column suspension_json ${text}`,
      ),
      sql`alter table versions add column withheld integer not null default 0`,
      sql`create index versions_by_submitter on versions (submitted_by)
        where state in ('submitted', 'checking', 'approved', 'in_review')`,
      sql`update versions set withheld = 1 where state in ('submitted', 'checking', 'approved', 'in_review') and (
        exists (select 1 from publishers p where p.slug = versions.publisher and p.suspended = 1)
        or exists (select 1 from apps a where a.app_id = versions.app_id and a.suspended = 1)
        or exists (select 1 from people u where 'person:' || u.id = versions.submitted_by and u.suspended = 1))`,
      sql`drop index versions_in_review`,
      sql`create index versions_in_review on versions (
        state, superseded, submitted_at, app_id, version, publisher, locked_by, locked_until, reasons_json)
        where state = 'in_review' and withheld = 0`,
    ];
    for (const statement of now) await statement.execute(db);
    await nameTokenMakers(db);
  },
});
