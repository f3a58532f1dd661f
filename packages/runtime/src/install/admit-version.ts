import type { DatabaseSync } from 'node:sqlite';
import { type BundleEntries, readBundle } from '@svc/bundle';
import { compareVersions, type Footprint, type Issue, MANIFEST_FILE, type Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { type KeyRing, verifyHashedBundle } from '@svc/signing';
import {
  hasErrors,
  parseManifest,
  type ValidateOptions,
  validateBundle,
  validateManifest,
} from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { readApp, versionKey, yankOf } from '../library/app-table.ts';
import type { InstalledApp, StoreApp } from '../library/installed-app.ts';
import { hashIn } from '../library/library-database.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Download } from '../store/store-reader.ts';

const invalid = (issues: readonly Issue[]): RuntimeError =>
  new RuntimeError('invalid-app', undefined, { detail: { issues } });

const refuseErrors = (issues: readonly Issue[]): void => {
  if (hasErrors(issues)) throw invalid(issues);
};

function readEntries(bytes: Uint8Array): BundleEntries {
  const reading = readBundle(bytes);
  if (!reading.ok) throw invalid(reading.issues);
  return reading.entries;
}

/** The manifest inside. One with errors is never believed, no matter who signed it: what it means could be read in two ways. */
function manifestIn(entries: BundleEntries, checks: ValidateOptions): Manifest {
  const reading = parseManifest(entries.get(MANIFEST_FILE) ?? new Uint8Array());
  if (!reading.ok) throw invalid(reading.issues);
  refuseErrors(validateManifest(reading.value, checks));
  return asManifest(reading.value, checks.localhost);
}

function requireSigned({ sha256, release }: Download, manifest: Manifest, keys: KeyRing): void {
  const verdict = verifyHashedBundle(sha256, manifest, release, keys);
  if (verdict.ok) return;
  throw new RuntimeError('not-verified', verdict.message, { detail: { refusal: verdict.refusal } });
}

/** Lets others have the thread in between: the client's window, and the writing of the bytes. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Opens a bundle that a store sent, and gives the manifest inside it with its footprint. Nothing else in it is looked at before its signature
 * is found to cover its bytes and what its manifest reaches.
 * @param localApps whether the app may have its servers on this machine
 * @throws RuntimeError `invalid-app` with the `issues`, `not-verified`
 */
export async function openBundle(
  download: Download,
  keys: KeyRing,
  localApps?: boolean,
): Promise<{ manifest: Manifest; footprint: Footprint }> {
  const { bytes } = download;
  const checks = { mode: 'store', localhost: localApps ? 'warn' : 'refuse' } as const;
  const entries = readEntries(bytes);
  await pause();
  const manifest = manifestIn(entries, checks);
  requireSigned(download, manifest, keys);
  await pause();
  // Disguised scripts are a warning: the store had a person look at them.
  refuseErrors(validateBundle(entries, { ...checks, size: bytes.length, skipScripts: true }).issues);
  return { manifest, footprint: footprintOf(manifest, hashIn(entries)) };
}

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
function requireSameSource(
  installed: InstalledApp,
  { store, appId }: SignedVersion,
): asserts installed is StoreApp {
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

/** The newest version that this client has seen from the store and that is not yanked; undefined when there is none. */
function newestSeen(database: DatabaseSync, { store, appId }: SignedVersion): string | undefined {
  const rows = database
    .prepare('select version_key from seen_versions where store = ? and app_id = ?')
    .all(store, appId);
  return rows
    .map((row) => row.version_key as string)
    .filter((version) => !yankOf(database, store, { appId, version }))
    .toSorted(compareVersions)
    .at(-1);
}

/**
 * Requires that the accepted revocation list does not contain a version.
 * @throws RuntimeError `yanked`
 */
export function requireNotYanked(
  database: DatabaseSync,
  { appId, version, store }: Pick<SignedVersion, 'appId' | 'version' | 'store'>,
): void {
  const yanked = yankOf(database, store, { appId, version });
  if (yanked) throw new RuntimeError('yanked', undefined, { detail: { appId, ...yanked } });
}

/**
 * Requires that a version may replace the installed one. Called in a transaction after verification and again at install, as another
 * process may have installed something in between.
 * @param asLatest whether the latest version was requested: it must not be older than any version seen before
 * @returns the app that it would replace, or null
 * @throws RuntimeError `yanked`, `not-verified`, `id-taken`, `rolled-back`
 */
export function admitVersion(
  database: DatabaseSync,
  signed: SignedVersion,
  asLatest: boolean,
): StoreApp | null {
  const { appId } = signed;
  requireNotYanked(database, signed);
  requireSameBytes(database, signed);
  const installed = readApp(database, appId, null);
  if (installed) {
    requireSameSource(installed, signed);
    requireNotOlder(signed, installed.version);
  }
  const newest = asLatest ? newestSeen(database, signed) : undefined;
  if (newest !== undefined) requireNotOlder(signed, newest);
  return installed;
}
