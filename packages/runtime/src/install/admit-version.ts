import type { DatabaseSync } from 'node:sqlite';
import { compareVersions } from '@svc/contracts';
import { readApp, versionKey } from '../library/app-table.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { withdrawalOf } from '../library/withdrawals.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

export type SignedVersion = { store: string; appId: string; version: string; sha256: string };

/** Refuses a version that the store signed before with other bytes: a published version is immutable. */
function requireSameBytes(database: DatabaseSync, { store, appId, version, sha256 }: SignedVersion): void {
  const key = versionKey(version);
  database
    .prepare('insert or ignore into seen_versions (store, app_id, version_key, sha256) values (?, ?, ?, ?)')
    .run(store, appId, key, sha256);
  const seen = database
    .prepare('select sha256 from seen_versions where store = ? and app_id = ? and version_key = ?')
    .get(store, appId, key);
  if (seen?.sha256 === sha256) return;
  throw new RuntimeError('not-verified', 'The store signed this version before with other contents.', {
    detail: { appId, version },
  });
}

/** An app id belongs to its source until the app is removed. */
function requireSameSource(installed: InstalledApp, { store, appId }: SignedVersion): void {
  const { source } = installed;
  if (source.kind !== 'store') throw new RuntimeError('id-taken', undefined, { detail: { appId } });
  if (source.store === store) return;
  throw new RuntimeError('id-taken', 'The app is installed from another store. Remove it first.', {
    detail: { appId, store: source.store },
  });
}

function requireNotOlder({ appId, version }: SignedVersion, than: string): void {
  if (compareVersions(version, than) >= 0) return;
  throw new RuntimeError('rolled-back', 'The store offers an older version than the known one.', {
    detail: { appId, version, newest: than },
  });
}

/** The newest version that this client has seen from the store and that is not yanked; null when there is none. */
function newestSeen(database: DatabaseSync, { store, appId }: SignedVersion): string | null {
  const rows = database
    .prepare('select version_key from seen_versions where store = ? and app_id = ?')
    .all(store, appId);
  return rows
    .map((row) => row.version_key as string)
    .filter((version) => !withdrawalOf(database, store, { appId, version }))
    .reduce<string | null>(
      (newest, one) => (newest === null || compareVersions(one, newest) > 0 ? one : newest),
      null,
    );
}

/**
 * Requires that the accepted revocation list does not contain a version.
 * @throws RuntimeError `withdrawn`
 */
export function requireNotWithdrawn(
  database: DatabaseSync,
  { appId, version, store }: Pick<SignedVersion, 'appId' | 'version' | 'store'>,
): void {
  const withdrawn = withdrawalOf(database, store, { appId, version });
  if (withdrawn) throw new RuntimeError('withdrawn', undefined, { detail: { appId, ...withdrawn } });
}

/**
 * Requires that a version may replace the installed one. Called in a transaction after verification and again at install, as another
 * process may have installed something in between.
 * @param asLatest whether the latest version was requested: it must not be older than any version seen before
 * @returns the app that it would replace, or null
 * @throws RuntimeError `withdrawn`, `not-verified`, `id-taken`, `rolled-back`
 */
export function admitVersion(
  database: DatabaseSync,
  signed: SignedVersion,
  asLatest: boolean,
): InstalledApp | null {
  const { appId } = signed;
  requireNotWithdrawn(database, signed);
  requireSameBytes(database, signed);
  const installed = readApp(database, appId, null);
  if (installed) {
    requireSameSource(installed, signed);
    requireNotOlder(signed, installed.version);
  }
  const newest = asLatest ? newestSeen(database, signed) : null;
  if (newest !== null) requireNotOlder(signed, newest);
  return installed;
}
