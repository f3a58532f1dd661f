import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Footprint, Manifest, RevocationEntry } from '@svc/contracts';
import parse from 'semver/functions/parse.js';
import type { AppSource, InstalledApp } from './installed-app.ts';

/**
 * The key by which a version is unique: the version without build metadata, which is not compared (Semantic
 * Versioning 2.0.0 section 10). Invalid versions are returned unchanged.
 */
export const versionKey = (version: string): string => parse(version)?.version ?? version;

type Row = {
  app_id: string;
  version: string;
  source: string;
  manifest: string;
  consent: string;
  is_on: number;
  restored_at: string | null;
  reason: string | null;
  at: string | null;
};

/** The app was on when its version was yanked. It is on again when the store undoes the yank, or an update brings another version. */
const ON_BEFORE_YANK = -1;

/** A project without a switch of its own uses the global one. */
const SELECT = `
  select a.app_id, a.version, a.source, a.manifest, a.consent, coalesce(s.is_on, a.is_on) as is_on, a.restored_at,
    coalesce(r.reason, u.reason) as reason, coalesce(r.at, u.at) as at
  from apps a
  left join switches s on s.app_id = a.app_id and s.project = :project
  left join revocations r on r.store = a.store and r.app_id = a.app_id and r.version_key = a.version_key
  left join unwritten_revocations u on u.store = a.store and u.app_id = a.app_id and u.version_key = a.version_key`;

function toApp(row: Row): InstalledApp {
  const yanked =
    row.reason === null ? null : { reason: row.reason, at: row.at as string, comesBack: row.is_on !== 0 };
  return {
    appId: row.app_id,
    version: row.version,
    manifest: JSON.parse(row.manifest) as Manifest,
    consent: JSON.parse(row.consent) as Footprint,
    source: JSON.parse(row.source) as AppSource,
    on: row.is_on === 1 && !yanked,
    yanked,
    restoredAt: row.restored_at,
  };
}

/** The statements of each library, which are compiled once: an app is read several times for one call. */
const statements = new WeakMap<DatabaseSync, { all: StatementSync; one: StatementSync }>();

function statementsOf(database: DatabaseSync) {
  const known = statements.get(database);
  if (known) return known;
  const made = {
    all: database.prepare(`${SELECT} order by a.app_id`),
    one: database.prepare(`${SELECT} where a.app_id = :appId`),
  };
  statements.set(database, made);
  return made;
}

/** Reads all apps in the order of their ids, with their switches in a project; null means globally. */
export function readApps(database: DatabaseSync, project: string | null): InstalledApp[] {
  const rows = statementsOf(database).all.iterate({ project });
  return Array.from(rows as Iterable<unknown>, (row) => toApp(row as Row));
}

/** Reads one app; null if it is not installed. */
export function readApp(database: DatabaseSync, appId: string, project: string | null): InstalledApp | null {
  const row = statementsOf(database).one.get({ appId, project });
  return row ? toApp(row as Row) : null;
}

/** Inserts or replaces an app. An app that is replaced keeps its switches. */
export function putApp(database: DatabaseSync, app: Omit<InstalledApp, 'yanked' | 'restoredAt'>): void {
  const { source } = app;
  database
    .prepare(
      `insert into apps (app_id, version, version_key, store, sha256, source, manifest, consent, is_on)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (app_id) do update set version = excluded.version, version_key = excluded.version_key,
         store = excluded.store, sha256 = excluded.sha256, source = excluded.source, manifest = excluded.manifest,
         consent = excluded.consent, restored_at = null`,
    )
    .run(
      app.appId,
      app.version,
      versionKey(app.version),
      source.kind === 'store' ? source.store : null,
      source.kind === 'store' ? source.sha256 : null,
      JSON.stringify(source),
      JSON.stringify(app.manifest),
      JSON.stringify(app.consent),
      app.on ? 1 : 0,
    );
}

/** Keeps the proof that the installed version is in the log of its store; null for a store without a log. */
export function putLogProof(database: DatabaseSync, appId: string, proof: string | null): void {
  database.prepare('delete from log_proofs where app_id = ?').run(appId);
  if (proof !== null)
    database.prepare('insert into log_proofs (app_id, proof) values (?, ?)').run(appId, proof);
}

/** The proof that the installed version of an app is in the log of its store; null without one. */
export function readLogProof(database: DatabaseSync, appId: string): string | null {
  const row = database.prepare('select proof from log_proofs where app_id = ?').get(appId);
  return row ? String(row.proof) : null;
}

export function deleteApp(database: DatabaseSync, appId: string): void {
  database.prepare('delete from apps where app_id = ?').run(appId);
  database.prepare('delete from file_recipients where app_id = ?').run(appId);
  database.prepare('delete from connector_settings where app_id = ?').run(appId);
  database.prepare('delete from pins where app_id = ?').run(appId);
}

/** Switches an app in one project; or globally, which deletes the switches of projects. */
export function writeSwitch(
  database: DatabaseSync,
  appId: string,
  on: boolean,
  project: string | null,
): void {
  const value = on ? 1 : 0;
  database.prepare('update apps set restored_at = null where app_id = ?').run(appId);
  if (project === null) {
    database.prepare('delete from switches where app_id = ?').run(appId);
    database.prepare('update apps set is_on = ? where app_id = ?').run(value, appId);
  } else {
    database
      .prepare('insert or replace into switches (app_id, project, is_on) values (?, ?, ?)')
      .run(appId, project, value);
  }
}

/**
 * Switches an app on again wherever it was on when its previous version was yanked.
 * @returns whether it was on anywhere
 */
export function switchOnAgain(database: DatabaseSync, appId: string): boolean {
  const changed = ['apps', 'switches'].map(
    (table) =>
      database
        .prepare(`update ${table} set is_on = 1 where app_id = ? and is_on = ${ON_BEFORE_YANK}`)
        .run(appId).changes,
  );
  return changed.some((count) => Number(count) > 0);
}

/** Whether an installed app uses a bundle. */
export const isInUse = (database: DatabaseSync, sha256: string): boolean =>
  database.prepare('select 1 from apps where sha256 = ? limit 1').get(sha256) !== undefined;

/** Why a version of a store was yanked; null if it was not. */
export function yankOf(
  database: DatabaseSync,
  store: string,
  { appId, version }: { appId: string; version: string },
): { reason: string; at: string } | null {
  const row = database
    .prepare('select reason, at from revocations where store = ? and app_id = ? and version_key = ?')
    .get(store, appId, versionKey(version));
  return row ? { reason: row.reason as string, at: row.at as string } : null;
}

/** The last accepted list of a store. Values that an earlier version of the runtime did not store are null. */
export type LastList = {
  signedAt: string;
  entriesHash: string | null;
  keyId: string | null;
  /** When a list with a later time was first accepted, by the clock of this computer, in milliseconds since 1970. */
  acceptedAt: number | null;
};

/** The last accepted list of a store; null when there was none. */
export function lastListOf(database: DatabaseSync, store: string): LastList | null {
  const row = database.prepare('select * from revocation_lists where store = ?').get(store);
  if (!row) return null;
  return {
    signedAt: row.signed_at as string,
    entriesHash: row.entries_hash as string | null,
    keyId: row.key_id as string | null,
    acceptedAt: row.accepted_at as number | null,
  };
}

/** Replaces the entries of a store in one of the tables of yanked versions. */
function replaceEntries(
  database: DatabaseSync,
  table: 'revocations' | 'unwritten_revocations',
  store: string,
  entries: readonly RevocationEntry[],
): void {
  database.prepare(`delete from ${table} where store = ?`).run(store);
  const add = database.prepare(
    `insert or replace into ${table} (store, app_id, version_key, reason, at) values (?, ?, ?, ?, ?)`,
  );
  for (const { appId, version, reason, at } of entries)
    add.run(store, appId, versionKey(version), reason, at);
}

/**
 * Switches off the versions on a list that cannot be written to the disk, in this process. A list that is written later replaces it.
 * @param entries null for those of the list on the disk
 */
export const holdWithdrawals = (
  database: DatabaseSync,
  store: string,
  entries: readonly RevocationEntry[] | null,
): void => replaceEntries(database, 'unwritten_revocations', store, entries ?? []);

/** The apps of a store whose installed version is on its list of yanked versions. */
const LISTED = `
  select a.app_id from apps a join revocations r
    on r.store = a.store and r.app_id = a.app_id and r.version_key = a.version_key
  where a.store = :store`;

/**
 * Replaces the list of a store, switches off the versions on it, and switches on again what was on before it was on the list, unless
 * the user switched it off since.
 * @param now time of the switches, in milliseconds since 1970
 * @param entries null for those of the list on the disk
 */
export function writeWithdrawals(
  database: DatabaseSync,
  { store, now }: { store: string; now: number },
  entries: readonly RevocationEntry[] | null,
  accepted: LastList,
): void {
  if (entries) replaceEntries(database, 'revocations', store, entries);
  replaceEntries(database, 'unwritten_revocations', store, []);
  database
    .prepare(
      'insert or replace into revocation_lists (store, signed_at, entries_hash, key_id, accepted_at) values (?, ?, ?, ?, ?)',
    )
    .run(store, accepted.signedAt, accepted.entriesHash, accepted.keyId, accepted.acceptedAt);
  const ended = `select app_id from apps where store = :store and app_id not in (${LISTED})`;
  database
    .prepare(
      `update apps set restored_at = :at where app_id in (${ended}) and (is_on = ${ON_BEFORE_YANK}
        or app_id in (select app_id from switches where is_on = ${ON_BEFORE_YANK}))`,
    )
    .run({ store, at: new Date(now).toISOString() });
  for (const table of ['switches', 'apps']) {
    const change = (to: number, from: number, apps: string) =>
      database
        .prepare(`update ${table} set is_on = ${to} where is_on = ${from} and app_id in (${apps})`)
        .run({ store });
    change(ON_BEFORE_YANK, 1, LISTED);
    change(1, ON_BEFORE_YANK, ended);
  }
}
