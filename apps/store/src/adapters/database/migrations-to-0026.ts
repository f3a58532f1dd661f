import { nameKeys } from '@svc/text';
import { sql } from 'kysely';
import { hostOf } from '../../core/publishers/proof.ts';
import type { Database } from '../../platform/database/schema.ts';
import { tables } from './migration.ts';

/**
 * Sets the look-alike keys of each publisher's name. When two existing names look alike, both stay, and the older publisher gets the
 * keys.
 */
async function claimNames(db: Database): Promise<void> {
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
async function nameHosts(db: Database): Promise<void> {
  const { rows } = await sql<{ slug: string; website: string | null }>`
    select slug, website from publishers where verified = 1`.execute(db);
  for (const { slug, website } of rows) {
    const host = hostOf(website ?? undefined);
    await sql`update publishers set verified_host = ${host} where slug = ${slug}`.execute(db);
  }
}

/** The look-alike keys of publisher names, and requested names. */
export const names = tables(
  (text) => [
    sql`create table name_keys (
        name_key ${text} primary key, publisher ${text} not null references publishers (slug))`,
    sql`create index name_keys_by_publisher on name_keys (publisher)`,
    sql`create table name_requests (
        publisher ${text} primary key references publishers (slug), name ${text} not null,
        asked_by ${text} not null references people (id), asked_at ${text} not null)`,
    sql`alter table publishers add column verified_host ${text}`,
  ],
  async (db) => {
    await claimNames(db);
    await nameHosts(db);
  },
);

/** The public keys of the store, so that a different key is detected. */
export const keyChain = tables((text) => [
  sql`create table key_chain (id integer primary key, keys_json ${text} not null)`,
]);

/** The access rules that an administrator chose. */
export const accessRules = tables((text) => [
  sql`create table access_rules (rule ${text} primary key, choice ${text} not null)`,
]);

/**
 * Indexes for queries that every store sends, so that none scans a table: the published, unfinished and yanked versions of an app, the
 * publishers of a signing key, the categories of an app. Drops the index of all states: SQLite preferred it, although it covers every
 * published version.
 */
export const plans = tables(() => [
  sql`drop index versions_by_state`,
  sql`create index versions_published on versions (app_id, version, published_at) where state = 'published'`,
  sql`create index versions_under_way on versions (state, submitted_at)
        where state in ('submitted', 'checking', 'approved')`,
  sql`create index versions_yanked on versions (state, app_id, version) where state = 'yanked'`,
  sql`create index versions_by_key on versions (key_id) where key_id is not null`,
  sql`create index listing_categories_by_app on listing_categories (app_id)`,
  sql`drop index people_by_role`,
  sql`create index people_by_role on people (role, created_at, id)`,
  sql`create index people_by_time on people (created_at, id)`,
  sql`create index invitations_by_expiry on invitations (expires_at)`,
]);

/** The messages of moderators and publishers about a version, and whether changes are requested. */
export const conversation = tables((text) => [
  sql`create table review_messages (
      app_id ${text} not null, version ${text} not null, number integer not null check (number > 0),
      sent_at ${text} not null, author ${text} not null, side ${text} not null, role ${text} not null,
      requests_changes integer not null default 0, text ${text} not null,
      primary key (app_id, version, number),
      foreign key (app_id, version) references versions (app_id, version))`,
  sql`alter table versions add column changes_requested_at ${text}`,
]);

/** The assigned moderator of a version in review, and the page that holds its lock. */
export const assignment = tables((text) => [
  sql`alter table versions add column locked_page ${text}`,
  sql`alter table versions add column assigned_to ${text}`,
]);

/** The apps that administrators feature, and the indexes for the sort orders of apps and users. */
export const featured = tables((text) => [
  sql`create table featured_apps (
        app_id ${text} primary key references apps (app_id), place integer not null)`,
  sql`drop index apps_by_publisher`,
  sql`create index apps_by_publisher on apps (publisher, app_id)`,
  sql`create index apps_by_time on apps (created_at, app_id)`,
  sql`create index people_by_name on people (lower(name), id)`,
]);

/** An index of the last upload of each app, which every upload reads; without it a query read all uploads of the app. */
export const newestUploads = tables(() => [
  sql`create index versions_newest on versions (app_id, version) where superseded = 0`,
]);

/** The indexes for the sort orders of publishers. */
export const publisherOrders = tables(() => [
  sql`create index publishers_by_name on publishers (lower(name), slug)`,
  sql`create index publishers_by_time on publishers (created_at, slug)`,
]);

/** Records who created each token, so that a recovery or a suspension of that user ends it. The audit log knows those of before. */
async function nameTokenMakers(db: Database): Promise<void> {
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
 */
export const safety = tables(
  (text) => [
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
  ],
  nameTokenMakers,
);

/**
 * Binds responses to clients, and records which clients wait. The default lets a process of an earlier version, which knows no binding,
 * park responses during an upgrade without losing them.
 */
export const relayBinding = tables((text) => [
  sql`alter table relay_entries add column browser ${text}`,
  sql`alter table relay_entries add column ticket_hash ${text}`,
  sql`alter table relay_entries add column confirmed integer not null default 1`,
  sql`alter table relay_entries add column tries integer not null default 0`,
  sql`create index relay_entries_by_ticket on relay_entries (ticket_hash) where ticket_hash is not null`,
  sql`create table relay_clients (
        state_hash ${text} not null, network ${text} not null, site ${text} not null, app_id ${text},
        expires_at ${text} not null, primary key (state_hash, network))`,
  sql`create index relay_clients_by_site on relay_clients (site, expires_at)`,
  sql`create index relay_clients_by_expiry on relay_clients (expires_at)`,
]);

/** Fills the requirements of listed apps, one manifest at a time: all of them may not fit into memory. */
async function fillRequirements(db: Database): Promise<void> {
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

/** Emergencies, and which listed apps require which others. */
export const emergencies = tables(
  (text) => [
    sql`create table emergencies (
        id ${text} primary key, state ${text} not null, publisher ${text} not null, app_id ${text},
        acts_json ${text} not null, reason ${text} not null, reach_json ${text} not null, effects_json ${text},
        started_by ${text} not null, started_at ${text} not null, decided_by ${text}, decided_at ${text},
        undone_by ${text}, undone_at ${text})`,
    sql`create index emergencies_by_time on emergencies (started_at desc, id)`,
    sql`create table app_requirements (
        requires ${text} not null, app_id ${text} not null, primary key (requires, app_id))`,
    sql`create index app_requirements_by_app on app_requirements (app_id)`,
  ],
  fillRequirements,
);

/** Reports of apps by users: one of each user about a version. */
export const reports = tables((text) => [
  sql`create table reports (
        id ${text} primary key, app_id ${text} not null, version ${text} not null, publisher ${text} not null,
        person_id ${text} not null, category ${text} not null, evidence ${text} not null, state ${text} not null,
        note ${text}, reported_at ${text} not null, decided_by ${text}, decided_at ${text},
        unique (person_id, app_id, version),
        foreign key (app_id, version) references versions (app_id, version))`,
  sql`create index reports_by_person on reports (person_id, reported_at desc, id)`,
  sql`create index reports_open on reports (reported_at desc) where state = 'open'`,
  sql`create index reports_by_version on reports (app_id, version)`,
]);

/**
 * The tools that the servers of versions had, and the checks of the servers of listed apps. The first checks of apps that are listed
 * already are due at once: the prober takes them a few at a time.
 */
export const tools = tables((text) => [
  sql`create table tool_records (
        app_id ${text} not null, version ${text} not null, source ${text} not null, recorded_at ${text} not null,
        tools_json ${text} not null, primary key (app_id, version))`,
  sql`create table server_checks (
        app_id ${text} primary key, next_at ${text} not null, drift_since ${text}, state_json ${text} not null)`,
  sql`create index server_checks_by_time on server_checks (next_at, app_id)`,
  sql`create index server_checks_with_drift on server_checks (drift_since, app_id) where drift_since is not null`,
  sql`insert into server_checks (app_id, next_at, state_json) select app_id, updated_at, '{}' from listings`,
]);
