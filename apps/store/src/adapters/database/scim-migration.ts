import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Users and groups that identity providers provision, and who is in which group. */
export const scimMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table scim_users (
        id ${text} primary key, provider ${text} not null, person_id ${text} not null, user_name ${text} not null,
        external_id ${text}, name ${text} not null, email ${text}, active integer not null, created_at ${text} not null,
        changed_at ${text} not null, unique (provider, user_name), unique (person_id, provider))`,
      sql`create index scim_users_of_provider on scim_users (provider, id)`,
      sql`create index scim_users_active on scim_users (provider) where active = 1`,
      sql`create index scim_users_by_external_id on scim_users (provider, external_id, id)`,
      sql`create index scim_users_by_email on scim_users (provider, email, id)`,
      sql`create table scim_groups (
        id ${text} primary key, provider ${text} not null, name ${text} not null, external_id ${text},
        created_at ${text} not null, changed_at ${text} not null, unique (provider, name))`,
      sql`create index scim_groups_of_provider on scim_groups (provider, id)`,
      sql`create index scim_groups_by_external_id on scim_groups (provider, external_id, id)`,
      sql`create table scim_members (
        group_id ${text} not null, user_id ${text} not null, primary key (group_id, user_id))`,
      sql`create index scim_members_of_user on scim_members (user_id, group_id)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
});
