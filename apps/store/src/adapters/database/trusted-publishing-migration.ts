import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The attestation of the build of a version. */
export const attestationMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['attestation', 'attested_json'])
      await sql`alter table versions add column ${sql.ref(column)} ${textOf(db)}`.execute(db);
  },
});

/**
 * CI workflows that may publish apps, the tokens of their jobs, the job that uploaded a version, and apps that only these may publish.
 * @param textOf the type of text that a database orders by its bytes
 */
export const trustedPublishingMigration = (
  textOf: (db: Kysely<unknown>) => RawBuilder<unknown>,
): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table trusted_publishers (
        id ${text} primary key, publisher ${text} not null references publishers (slug), app_id ${text} not null,
        issuer ${text} not null, kind ${text} not null, claims_json ${text} not null, created_at ${text} not null,
        made_by ${text}, last_used_at ${text}, unique (publisher, app_id, issuer, claims_json))`,
      sql`create index trusted_publishers_by_maker on trusted_publishers (made_by) where made_by is not null`,
      sql`alter table tokens add column trusted_id ${text}`,
      sql`alter table tokens add column source_json ${text}`,
      sql`create index tokens_by_workflow on tokens (trusted_id) where trusted_id is not null`,
      sql`alter table versions add column source_json ${text}`,
      sql`alter table apps add column trusted_only integer not null default 0`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
