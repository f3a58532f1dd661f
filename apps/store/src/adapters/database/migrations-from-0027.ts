import { looksOf } from '@svc/validator';
import { sql } from 'kysely';
import { allLooksOf } from '../../core/domain/listings/listing-store.ts';
import { tables } from './migration.ts';

/** Who added each member, so that a recovery of an account whose address was never proved ends what it gave to others. */
export const memberAdders = tables((text) => [
  sql`alter table members add column added_by ${text}`,
  sql`create index members_by_adder on members (added_by) where added_by is not null`,
]);

/** The indexes of the registry API: the versions with a number, and the publications and yanks by time. */
export const registryIndexes = tables(() => [
  sql`create index versions_by_number on versions (version, app_id)`,
  sql`create index version_moves_released on version_moves (moved_at, app_id, version)
      where to_state in ('published', 'yanked')`,
]);

/** CI workflows that may publish apps, the tokens of their jobs, the job that uploaded a version, and apps that only these may publish. */
export const trustedPublishing = tables((text) => [
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
]);

/** The actions that are events. A released index keeps its list: a new action needs a new index. */
const EVENTS = sql`(action || '') in ('version.publish', 'version.yank', 'version.unyank', 'app.suspend', 'app.unsuspend',
  'publisher.verify', 'publisher.unverify', 'version.submit', 'version.approve', 'version.reject', 'version.withdraw',
  'version.request-changes', 'server.drift')`;

/** Webhooks and their deliveries. The events are entries of the audit log, which each change writes in its own transaction. */
export const webhooks = tables((text) => [
  sql`create table webhooks (
        id ${text} primary key, publisher ${text} references publishers (slug), url ${text} not null, types_json ${text},
        secret ${text} not null, after_event bigint not null, created_at ${text} not null, made_by ${text},
        disabled_at ${text})`,
  sql`create index webhooks_by_publisher on webhooks (publisher)`,
  sql`create index webhooks_by_maker on webhooks (made_by) where made_by is not null`,
  sql`create index webhooks_by_event on webhooks (after_event) where disabled_at is null`,
  sql`create table webhook_deliveries (
        webhook_id ${text} not null references webhooks (id), event_id bigint not null, state ${text} not null,
        tries integer not null, created_at ${text} not null, next_try_at ${text}, tried_at ${text}, status integer,
        fault ${text}, primary key (webhook_id, event_id))`,
  sql`create index webhook_deliveries_due on webhook_deliveries (next_try_at, webhook_id, event_id)
        where state = 'waiting'`,
  sql`create index webhook_deliveries_by_time on webhook_deliveries (created_at)`,
  sql`create index audit_log_events on audit_log (id) where ${EVENTS}`,
  sql`create index audit_log_events_by_publisher on audit_log (publisher, id) where ${EVENTS}`,
]);

/** Versions that wait until a member of their publisher confirms them, apps whose versions all do; and an index of decisions by time. */
export const confirmations = tables(() => [
  sql`alter table apps add column confirm_uploads integer not null default 0`,
  sql`alter table versions add column awaits_confirmation integer not null default 0`,
  sql`create index version_moves_decided on version_moves (moved_at, app_id, version) where from_state = 'in_review'`,
]);

/** The versions of the policy, the decisions that cite its rules, and their appeals. */
export const decisions = tables((text) => [
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
]);

/** Apps whose looks are added at once. */
const BATCH = 200;

/** The looks of the names of listed apps, and later of their icons, for finding apps that look alike. */
export const looks = tables(
  (text) => [
    sql`create table app_looks (look ${text} not null, app_id ${text} not null, primary key (look, app_id))`,
    sql`create index app_looks_by_app on app_looks (app_id)`,
    sql`alter table listings add column icon_look ${text}`,
  ],
  async (db) => {
    let after = '';
    for (;;) {
      const { rows } = await sql<{ app_id: string; name: string }>`
        select app_id, name from listings where app_id > ${after} order by app_id limit ${sql.lit(BATCH)}`.execute(
        db,
      );
      for (const { app_id, name } of rows)
        for (const look of looksOf(name))
          await sql`insert into app_looks (look, app_id) values (${look}, ${app_id})`.execute(db);
      const last = rows.at(-1);
      if (!last) return;
      after = last.app_id;
    }
  },
);

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

/** Apps that are delisted, deprecated or offered to another publisher, deprecated versions, and names that are never given out again. */
export const lives = tables((text, isPostgres) => [
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
  ...ERASURE[isPostgres ? 'postgres' : 'sqlite'](),
]);

/** Which mails users want, and an index to send those of a user together. */
export const mailChoices = tables((text) => [
  sql`create table mail_choices (
        person_id ${text} not null, topic ${text} not null, choice ${text} not null, primary key (person_id, topic))`,
  sql`create index mails_by_recipient on mails (recipient, created_at, id)`,
]);

/** The attestation of the build of a version. */
export const attestations = tables((text) =>
  ['attestation', 'attested_json'].map(
    (column) => sql`alter table versions add column ${sql.ref(column)} ${text}`,
  ),
);

/** Users and groups that identity providers provision, and who is in which group. */
export const scim = tables((text) => [
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
]);

/** Since when users may have their role without a passkey, and indexes by which personal data is found that is kept no longer. */
export const roles = tables((text) => [
  sql`alter table people add column grace_from ${text}`,
  sql`create index audit_log_addresses on audit_log (at) where address is not null`,
  sql`create index reports_decided on reports (decided_at) where decided_at is not null`,
]);

/** Tokens with which the store lists servers that need a sign-in. */
export const reviewerAccounts = tables((text) => [
  sql`create table reviewer_accounts (
      app_id ${text} primary key, host ${text} not null, sealed ${text} not null, deposited_by ${text} not null,
      deposited_at ${text} not null)`,
]);

/** The index for reviews in the order of their stars. */
export const reviewOrders = tables(() => [
  sql`create index ratings_by_stars on ratings (app_id, stars, created_at, id) where hidden = 0 and withheld = 0`,
]);

/** The name, the logo and the accent that an administrator chose. */
export const brand = tables((text) => [
  sql`create table brand (part ${text} primary key, value ${text} not null)`,
]);

/** When a moderator saw the tools of a server: at the approval of a version that had them by then. A confirmation of its publisher is none. */
export const reviewedTools = tables((text) => [
  sql`alter table tool_records add column reviewed_at ${text}`,
  sql`update tool_records set reviewed_at = (select max(m.moved_at) from version_moves m, versions v
        where m.app_id = tool_records.app_id and m.version = tool_records.version and m.from_state = 'in_review'
          and m.to_state = 'approved' and m.moved_at >= tool_records.recorded_at
          and v.app_id = m.app_id and v.version = m.version and v.reasons_json <> '[]')`,
  sql`delete from tool_records where source = 'publisher' and reviewed_at is null and exists (select 1 from versions v
        where v.app_id = tool_records.app_id and v.version = tool_records.version and v.state in ('published', 'yanked'))`,
]);

/** The looks of listed apps again, with those of their words and ids, and of apps whose versions are all yanked. */
export const allLooks = tables(
  () => [],
  async (db) => {
    const { rows } = await sql<{ app_id: string; name: string; icon_look: string | null }>`
      select app_id, name, icon_look from listings
      union all
      select v.app_id, v.name, null as icon_look from versions v where v.state = 'yanked'
        and not exists (select 1 from listings l where l.app_id = v.app_id)
        and not exists (select 1 from versions w where w.app_id = v.app_id and w.state = 'yanked' and w.published_at > v.published_at)`.execute(
      db,
    );
    for (const { app_id, name, icon_look } of rows)
      for (const look of allLooksOf(app_id, name, icon_look))
        await sql`insert into app_looks (look, app_id) values (${look}, ${app_id}) on conflict do nothing`.execute(
          db,
        );
  },
);

/** Turns of webhooks, and what a report counts for: from which network and email domain it came, and how far its user is trusted. */
export const shares = tables((text) => [
  sql`alter table webhooks add column next_at ${text}`,
  sql`alter table webhooks add column turn_until ${text}`,
  sql`alter table webhooks add column slow integer not null default 1`,
  sql`alter table webhooks add column failures integer not null default 0`,
  sql`alter table webhooks add column failing_since ${text}`,
  sql`alter table webhooks add column paused_at ${text}`,
  sql`update webhooks set next_at = (select min(d.next_try_at) from webhook_deliveries d
        where d.webhook_id = webhooks.id and d.state = 'waiting') where disabled_at is null`,
  sql`drop index webhooks_by_event`,
  sql`create index webhooks_by_event on webhooks (slow, after_event) where disabled_at is null and paused_at is null`,
  sql`create index webhooks_due on webhooks (slow, next_at, id) where next_at is not null`,
  sql`drop index webhook_deliveries_due`,
  sql`create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, next_try_at, event_id)
        where state = 'waiting'`,
  sql`alter table reports add column domain ${text} not null default ''`,
  sql`alter table reports add column network ${text} not null default ''`,
  sql`alter table reports add column weight integer not null default 500`,
  sql`update reports set domain = person_id, network = person_id`,
  sql`create index reports_upheld on reports (app_id, version) where state = 'upheld'`,
  sql`create index reports_upheld_of on reports (publisher) where state = 'upheld'`,
]);

/** Since when members are owners: a new owner cannot take a publisher from older ones. */
export const owners = tables((text) => [
  sql`alter table members add column owner_since ${text}`,
  sql`update members set owner_since = since where role = 'owner'`,
]);

/** What a company sets for all desktops, in one row. */
export const managed = tables((text) => [
  sql`create table managed_settings (
        id integer primary key, settings_json ${text} not null, changed_at ${text} not null)`,
]);

/** The log of what changes trust, and how far it is published. */
export const trustLog = tables((text) => [
  sql`create table log_entries (
        idx integer primary key, kind ${text} not null, app_id ${text}, version ${text}, publisher ${text},
        entry ${text} not null)`,
  sql`create index log_entries_by_version on log_entries (app_id, version, idx) where app_id is not null`,
  sql`create index log_entries_by_publisher on log_entries (publisher, idx) where publisher is not null`,
  sql`create index log_entries_of_keys on log_entries (idx) where kind in ('key-added', 'key-retired')`,
  sql`create table log_state (
        id integer primary key, size integer not null, edge_json ${text} not null, checkpoint ${text} not null,
        begun_at ${text})`,
]);

/** When providers last confirmed the users whose groups decide something, and users whom they no longer confirm. */
export const providerChecks = tables((text) => [
  sql`alter table people add column unconfirmed ${text}`,
  sql`create table provider_checks (
        identity_id ${text} primary key references identities (id) on delete cascade, sealed ${text},
        confirmed_at ${text} not null, next_at ${text} not null)`,
  sql`create index provider_checks_due on provider_checks (next_at, identity_id)`,
]);

/** How far the audit log is delivered to the collector of the operator. */
export const auditDelivery = tables((text) => [
  sql`create table audit_delivery (
        id integer primary key, after_id integer not null, delivered_at ${text}, turn_until ${text})`,
]);

/** The first of two persons: while the second is missing, and of what both decided. */
export const twoPersons = tables((text) => [
  sql`alter table versions add column first_by ${text}`,
  sql`alter table versions add column first_json ${text}`,
  sql`create index versions_by_first on versions (first_by) where first_by is not null`,
  sql`alter table version_moves add column first_by ${text}`,
]);

/** The stores whose apps this store carries, and from which store a version comes. */
export const upstreams = tables((text) => [
  sql`create table upstreams (
        id ${text} primary key, address ${text} not null unique, keys_json ${text} not null,
        choices_json ${text} not null, list_json ${text}, list_tag ${text}, read_until ${text}, added_at ${text} not null,
        reached_at ${text}, failure_json ${text}, failing_since ${text}, turn_until ${text})`,
  sql`create table carried_apps (
        upstream ${text} not null, app_id ${text} not null, version ${text} not null, state ${text} not null,
        note ${text} not null, head_json ${text}, checked_at ${text} not null,
        primary key (upstream, app_id))`,
  sql`create index carried_apps_by_check on carried_apps (upstream, checked_at)`,
  sql`alter table versions add column origin_json ${text}`,
  sql`alter table apps add column held ${text}`,
  sql`alter table publishers add column origin ${text}`,
  sql`create index publishers_by_origin on publishers (origin, slug) where origin is not null`,
]);

/** Upstreams that are read from files. */
export const upstreamFiles = tables((text) => [sql`alter table upstreams add column file_json ${text}`]);

/** Which process follows an upstream. */
export const upstreamLeaders = tables((text) => [
  sql`alter table upstreams add column leader ${text}`,
  sql`alter table upstreams add column leader_until ${text}`,
]);

/** The bytes of each version, of its bundle and its pictures, and how much an administrator lets a publisher store, in MiB. */
export const publisherStorage = tables((_text, isPostgres) => [
  sql`alter table versions add column stored_bytes bigint`,
  isPostgres
    ? sql`update versions set stored_bytes = size + coalesce((
          select sum((file ->> 'size')::bigint) from jsonb_array_elements(files_json::jsonb) as file), 0)`
    : sql`update versions set stored_bytes = size + coalesce((
          select sum(json_extract(value, '$.size')) from json_each(files_json)), 0)`,
  sql`create index versions_by_publisher on versions (publisher, stored_bytes, size)`,
  sql`alter table publishers add column storage_mib bigint`,
]);

/** Cases of all kinds that are assigned to moderators. */
export const caseAssignments = tables((text) => [
  sql`create table case_assignments (kind ${text} not null, subject ${text} not null, assigned_to ${text} not null,
    primary key (kind, subject))`,
]);

/** Events that tell a CDN what to purge: suspended publishers, deleted apps, other access rules and keys. */
const MORE_EVENTS = sql`(action || '') in ('version.publish', 'version.yank', 'version.unyank', 'app.suspend',
  'app.unsuspend', 'publisher.verify', 'publisher.unverify', 'version.submit', 'version.approve', 'version.reject',
  'version.withdraw', 'version.request-changes', 'server.drift', 'publisher.suspend', 'publisher.unsuspend', 'app.delete',
  'access.change', 'key.rotate', 'key.lost')`;

export const purgeEvents = tables(() => [
  sql`drop index audit_log_events`,
  sql`drop index audit_log_events_by_publisher`,
  sql`create index audit_log_events on audit_log (id) where ${MORE_EVENTS}`,
  sql`create index audit_log_events_by_publisher on audit_log (publisher, id) where ${MORE_EVENTS}`,
]);
