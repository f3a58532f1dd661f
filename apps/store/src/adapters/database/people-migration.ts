import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { lookOf } from '../../core/publishers/look-of.ts';
import type { Database } from '../../platform/database/schema.ts';
import { tables } from './migration.ts';

/** Users, and their sign-in methods. */
const peopleTables = (text: RawBuilder<unknown>) => [
  sql`create table people (
    id ${text} primary key, name ${text} not null, email ${text} unique, email_verified integer not null default 0,
    role ${text} not null default 'person', suspended integer not null default 0, created_at ${text} not null)`,
  sql`create index people_by_role on people (role, id)`,
  sql`create table sessions (
    hash ${text} primary key, id ${text} not null unique, person_id ${text} not null references people (id),
    created_at ${text} not null, expires_at ${text} not null, last_seen_at ${text} not null, address ${text},
    agent ${text} not null)`,
  sql`create index sessions_by_person on sessions (person_id)`,
  sql`create index sessions_by_expiry on sessions (expires_at)`,
  sql`create table passwords (
    person_id ${text} primary key references people (id), hash ${text} not null, changed_at ${text} not null)`,
  sql`create table passkeys (
    id ${text} primary key, person_id ${text} not null references people (id), label ${text} not null,
    public_key ${text} not null, counter bigint not null, transports_json ${text} not null,
    created_at ${text} not null, last_used_at ${text})`,
  sql`create index passkeys_by_person on passkeys (person_id)`,
  sql`create table identities (
    id ${text} not null unique, issuer ${text} not null, subject ${text} not null,
    person_id ${text} not null references people (id), label ${text} not null, created_at ${text} not null, primary key (issuer, subject))`,
  sql`create index identities_by_person on identities (person_id)`,
  sql`create table ceremonies (
    hash ${text} primary key, kind ${text} not null, expires_at ${text} not null, detail_json ${text} not null)`,
  sql`create index ceremonies_by_expiry on ceremonies (expires_at)`,
];

/** Members and invitations of publishers, and the verification of their websites. */
const memberTables = (text: RawBuilder<unknown>) => [
  sql`create table members (
    publisher ${text} not null references publishers (slug), person_id ${text} not null references people (id),
    role ${text} not null, since ${text} not null, primary key (publisher, person_id))`,
  sql`create index members_by_person on members (person_id)`,
  sql`create table invitations (
    id ${text} primary key, publisher ${text} not null references publishers (slug), role ${text} not null,
    email ${text}, invited_by ${text} not null references people (id), created_at ${text} not null,
    expires_at ${text} not null)`,
  sql`create index invitations_by_publisher on invitations (publisher)`,
  sql`alter table publishers add column look ${text} not null default ''`,
  sql`alter table publishers add column proof ${text} not null default ''`,
  sql`alter table publishers add column verified_by ${text}`,
  sql`alter table publishers add column checked_at ${text}`,
  sql`alter table publishers add column missing_since ${text}`,
  sql`create index publishers_by_check on publishers (checked_at) where verified_by = 'website'`,
  sql`update publishers set verified_by = 'administrator' where verified = 1`,
];

/** Tokens of users have no publisher, so the table is created again: the databases have no common syntax to drop `not null`. */
const tokenTables = (text: RawBuilder<unknown>) => [
  sql`alter table tokens rename to old_tokens`,
  sql`drop index tokens_by_id`,
  sql`create table tokens (
    hash ${text} primary key, id ${text} not null unique, kind ${text} not null, name ${text} not null,
    person_id ${text} references people (id), publisher ${text} references publishers (slug), app_id ${text},
    scopes_json ${text} not null, created_at ${text} not null, expires_at ${text} not null, last_used_at ${text},
    revoked_at ${text}, check (person_id is not null or publisher is not null))`,
  sql`insert into tokens (hash, id, kind, name, publisher, scopes_json, created_at, expires_at)
    select hash, id, 'ci', 'automation', publisher, scopes_json, created_at, expires_at from old_tokens`,
  sql`drop table old_tokens`,
  sql`create index tokens_by_person on tokens (person_id)`,
  sql`create index tokens_by_publisher on tokens (publisher)`,
  sql`create index tokens_by_expiry on tokens (expires_at)`,
  sql`create table device_codes (
    device_hash ${text} primary key, user_code_seal ${text} not null unique, client ${text} not null, address ${text},
    created_at ${text} not null, expires_at ${text} not null, state ${text} not null, person_id ${text} references people (id),
    asked_json ${text} not null, grant_json ${text}, polled_at ${text})`,
  sql`create index device_codes_by_expiry on device_codes (expires_at)`,
  sql`create index device_codes_by_person on device_codes (person_id)`,
];

/** The events that count against rate limits, and the mail queue. */
const serviceTables = (text: RawBuilder<unknown>) => [
  sql`drop table upload_marks`,
  sql`create table marks (subject ${text} not null, marked_at ${text} not null)`,
  sql`create index marks_by_subject on marks (subject, marked_at)`,
  sql`create index marks_by_time on marks (marked_at)`,
  sql`create table mails (
    id ${text} primary key, recipient ${text} not null, kind ${text} not null, detail_json ${text} not null,
    created_at ${text} not null, next_try_at ${text} not null, tries integer not null default 0)`,
  sql`create index mails_by_time on mails (next_try_at)`,
];

/**
 * Sets the look-alike key and the proof of existing publishers. When two slugs look alike, both stay, and the later one gets a
 * different key.
 */
async function fillPublishers(db: Database): Promise<void> {
  const { rows } = await sql<{ slug: string }>`select slug from publishers order by created_at, slug`.execute(
    db,
  );
  const taken = new Set<string>();
  for (const { slug } of rows) {
    const look = taken.has(lookOf(slug)) ? `${lookOf(slug)} ${slug}` : lookOf(slug);
    taken.add(look);
    await sql`update publishers set look = ${look}, proof = ${randomUUID()} where slug = ${slug}`.execute(db);
  }
}

/** Users with their sign-in methods and sessions, members and invitations, tokens of users, device codes, and mails. */
export const people = tables(
  (text) => [peopleTables, memberTables, tokenTables, serviceTables].flatMap((create) => create(text)),
  async (db) => {
    await fillPublishers(db);
    await sql`create unique index publishers_by_look on publishers (look)`.execute(db);
  },
);
