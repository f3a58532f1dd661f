import { nameKeys } from '@svc/text';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { hostOf } from '../../features/publishers/proof.ts';

/**
 * Sets the look-alike keys of each publisher's name. When two existing names look alike, both stay, and the older publisher gets the
 * keys.
 */
async function claimNames(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ slug: string; name: string }>`
    select slug, name from publishers order by created_at, slug`.execute(db);
  for (const { slug, name } of rows) {
    for (const key of nameKeys(name)) {
      await sql`insert into name_keys (name_key, publisher) values (${key}, ${slug})
        on conflict do nothing`.execute(db);
    }
  }
}

/** Sets the verified host of existing verified publishers: the host of their current website. */
async function nameHosts(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ slug: string; website: string | null }>`
    select slug, website from publishers where verified = 1`.execute(db);
  for (const { slug, website } of rows) {
    const host = hostOf(website ?? undefined);
    await sql`update publishers set verified_host = ${host} where slug = ${slug}`.execute(db);
  }
}

/**
 * The look-alike keys of publisher names, and requested names.
 * @param textOf the type of text that a database orders by its bytes
 */
export const namesMigration = (textOf: (db: Kysely<unknown>) => RawBuilder<unknown>): Migration => ({
  async up(db: Kysely<unknown>) {
    const text = textOf(db);
    const now = [
      sql`create table name_keys (
        name_key ${text} primary key, publisher ${text} not null references publishers (slug))`,
      sql`create index name_keys_by_publisher on name_keys (publisher)`,
      sql`create table name_requests (
        publisher ${text} primary key references publishers (slug), name ${text} not null,
        asked_by ${text} not null references people (id), asked_at ${text} not null)`,
    ];
    for (const statement of now) await statement.execute(db);
    await sql`alter table publishers add column verified_host ${text}`.execute(db);
    await claimNames(db);
    await nameHosts(db);
  },
});
