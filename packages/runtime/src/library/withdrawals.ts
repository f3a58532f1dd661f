import type { DatabaseSync } from 'node:sqlite';
import type { RevocationList } from '@svc/contracts';
import { OFF_UNTIL_UPDATED, versionKey } from './app-table.ts';

/** Why a version of a store was yanked; null if it was not. */
export function withdrawalOf(
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

/**
 * Replaces the list of a store, and switches off the versions on it. An app that is no longer on the list stays off
 * until the user switches it on, or an update brings another version.
 */
export function writeWithdrawals(
  database: DatabaseSync,
  store: string,
  list: RevocationList,
  accepted: Omit<LastList, 'signedAt'>,
): void {
  database.prepare('delete from revocations where store = ?').run(store);
  const add = database.prepare(
    'insert or replace into revocations (store, app_id, version_key, reason, at) values (?, ?, ?, ?, ?)',
  );
  for (const { appId, version, reason, at } of list.entries)
    add.run(store, appId, versionKey(version), reason, at);
  database
    .prepare(
      'insert or replace into revocation_lists (store, signed_at, entries_hash, key_id, accepted_at) values (?, ?, ?, ?, ?)',
    )
    .run(store, list.signedAt, accepted.entriesHash, accepted.keyId, accepted.acceptedAt);
  const listed = `
    select a.app_id from apps a join revocations r
      on r.store = a.store and r.app_id = a.app_id and r.version_key = a.version_key
    where a.store = ?`;
  for (const table of ['switches', 'apps']) {
    database
      .prepare(`update ${table} set is_on = ${OFF_UNTIL_UPDATED} where is_on = 1 and app_id in (${listed})`)
      .run(store);
  }
}
