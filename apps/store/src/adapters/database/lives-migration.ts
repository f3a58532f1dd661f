import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What an account that is deleted leaves in the audit log in place of its name and its addresses. */
const DELETED = 'Deleted account';

const KEPT = ['id', 'at', 'actor', 'action', 'app_id', 'version', 'publisher', 'token_id', 'request_id'];

/** The entry stays, and loses at most its address, and texts in place of which it has the mark of a deleted account. */
const isErasure = (same: string) =>
  sql.raw(
    `${KEPT.map((column) => `new.${column} ${same} old.${column}`).join(' and ')} and new.address is null
      and (new.detail_json = old.detail_json or new.detail_json like '%${DELETED}%')`,
  );

/** Triggers that let the audit log lose what is personal in it, and nothing else. */
const ERASURE = {
  sqlite: () => [
    sql`drop trigger audit_log_no_update`,
    sql`create trigger audit_log_no_update before update on audit_log when not (${isErasure('is')})
      begin select raise(abort, 'The audit log only grows.'); end`,
  ],
  postgres: () => [
    sql`drop trigger audit_log_only_grows on audit_log`,
    sql`create trigger audit_log_only_grows before delete or truncate on audit_log
      for each statement execute function refuse_audit_change()`,
    sql`create trigger audit_log_no_update before update on audit_log for each row
      when (not (${isErasure('is not distinct from')})) execute function refuse_audit_change()`,
  ],
};

/**
 * Apps that are delisted, deprecated or offered to another publisher, deprecated versions, and names that are never given out again.
 * @param textOf the type of text that a database orders by its bytes
 */
export const livesMigration = (
  textOf: (db: Kysely<unknown>) => RawBuilder<unknown>,
  isPostgres: (db: Kysely<unknown>) => boolean,
): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`alter table apps add column delisted integer not null default 0`,
      sql`alter table apps add column deprecation_json ${text}`,
      sql`alter table apps add column offer_json ${text}`,
      sql`alter table apps add column offered_to ${text}`,
      sql`create index apps_offered on apps (offered_to, app_id) where offered_to is not null`,
      sql`alter table versions add column deprecated ${text}`,
      sql`create table retired_names (
        kind ${text} not null, name ${text} not null, retired_at ${text} not null, primary key (kind, name))`,
      sql`create index versions_submitted_by on versions (submitted_by)`,
      sql`create index rating_flags_by_person on rating_flags (person_id)`,
      ...ERASURE[isPostgres(db) ? 'postgres' : 'sqlite'](),
    ];
    for (const statement of now) await statement.execute(db);
  },
});

/** Which mails users want, and an index to send those of a user together. */
export const mailChoicesMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    for (const statement of [
      sql`create table mail_choices (
        person_id ${text} not null, topic ${text} not null, choice ${text} not null, primary key (person_id, topic))`,
      sql`create index mails_by_recipient on mails (recipient, created_at, id)`,
    ])
      await statement.execute(db);
  },
});
