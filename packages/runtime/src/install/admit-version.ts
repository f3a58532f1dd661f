import type { DatabaseSync } from 'node:sqlite';
import compare from 'semver/functions/compare.js';
import { readApp } from '../library/app-table.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { versionKey } from '../library/version-key.ts';
import { withdrawalOf } from '../library/withdrawals.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** A version that a store signed. */
export type SignedVersion = { store: string; appId: string; version: string; sha256: string };

/** A published version is bound to its bytes for ever: a store that signs it again over others is not believed. */
function requireSameBytes(database: DatabaseSync, { store, appId, version, sha256 }: SignedVersion): void {
  const key = versionKey(version);
  database
    .prepare('insert or ignore into seen_versions (store, app_id, version_key, sha256) values (?, ?, ?, ?)')
    .run(store, appId, key, sha256);
  const seen = database
    .prepare('select sha256 from seen_versions where store = ? and app_id = ? and version_key = ?')
    .get(store, appId, key);
  if (seen?.sha256 === sha256) return;
  throw new RuntimeError('not-verified', 'The store has signed this version before, with other contents.', {
    detail: { appId, version },
  });
}

/** The id of an app belongs to where it was installed from, until it is removed. */
function requireSameSource(installed: InstalledApp, { store, appId }: SignedVersion): void {
  const { source } = installed;
  if (source.kind !== 'store') throw new RuntimeError('id-taken', undefined, { detail: { appId } });
  if (source.store === store) return;
  throw new RuntimeError('id-taken', 'The app was installed from another store: remove it first.', {
    detail: { appId, store: source.store },
  });
}

function requireNotOlder({ appId, version }: SignedVersion, than: string): void {
  if (compare(version, than) >= 0) return;
  throw new RuntimeError('rolled-back', 'The store offers an older version than is here.', {
    detail: { appId, version, newest: than },
  });
}

/** The newest version that the store ever signed for this client and has not withdrawn; null when there is none. */
function newestSeen(database: DatabaseSync, { store, appId }: SignedVersion): string | null {
  const rows = database
    .prepare('select version_key from seen_versions where store = ? and app_id = ?')
    .all(store, appId);
  return rows
    .map((row) => row.version_key as string)
    .filter((version) => !withdrawalOf(database, store, { appId, version }))
    .reduce<string | null>(
      (newest, one) => (newest === null || compare(one, newest) > 0 ? one : newest),
      null,
    );
}

/**
 * Sees to it that a version may take the place of what is here. Called in a transaction, when it was verified and again
 * when it is installed, since another process may have installed something in between.
 * @param asLatest whether the store was asked for the latest version: then it must not be older than any seen before
 * @returns what it would replace, or null
 * @throws RuntimeError `withdrawn`, `not-verified`, `id-taken`, `rolled-back`
 */
export function admitVersion(
  database: DatabaseSync,
  signed: SignedVersion,
  asLatest: boolean,
): InstalledApp | null {
  const { appId, store } = signed;
  const withdrawn = withdrawalOf(database, store, signed);
  if (withdrawn) throw new RuntimeError('withdrawn', undefined, { detail: { appId, ...withdrawn } });
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
