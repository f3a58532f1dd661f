import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { readBundle } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { hashIn } from './picture-hash.ts';

/** Hashes of the files of an installed bundle; null for every file when the bundle is missing or damaged. */
function hashesOf(bundles: string, sha256: string | null): (file: string) => string | null {
  const file = sha256 === null ? null : path.join(bundles, `${sha256}.svc-app`);
  if (file === null || !existsSync(file)) return () => null;
  const reading = readBundle(readFileSync(file));
  return reading.ok ? hashIn(reading.entries) : () => null;
}

/**
 * Upgrades the stored consent of every app to the current form: earlier libraries stored less of it, and kept permissions
 * that an update had dropped.
 * @param bundles the folder with the installed bundles
 */
export function upgradeConsents(database: DatabaseSync, bundles: string): void {
  const apps = database.prepare('select app_id, manifest, sha256 from apps').all();
  const write = database.prepare('update apps set consent = ? where app_id = ?');
  for (const { app_id, manifest, sha256 } of apps) {
    const consent = footprintOf(
      JSON.parse(manifest as string) as Manifest,
      hashesOf(bundles, sha256 as string | null),
    );
    write.run(JSON.stringify(consent), app_id as string);
  }
}
