import { sql } from 'kysely';
import { databaseIn } from '../adapters/disk/data-folder.ts';
import { watchPlaces } from '../adapters/disk/in-place.ts';
import { filesOf } from '../adapters/sqlite/open-sqlite.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Database } from '../platform/database/schema.ts';
import type { Probes } from '../platform/probe.ts';
import type { Settings } from './settings.ts';

/**
 * Creates the probes of readiness: whether the database and the bundle storage respond, and whether they are still the ones that were
 * opened. A database file that was removed still responds; a volume or bucket that was exchanged has another owner, or none.
 */
export async function openProbes(
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  db: Database,
  blobs: BlobStore,
): Promise<Probes> {
  const requireInPlace = watchPlaces(databaseUrl === null ? filesOf(databaseIn(dataDir)) : []);
  const owner = await blobs.owner();
  return {
    async database() {
      requireInPlace();
      await sql`select 1`.execute(db);
    },
    async 'bundle storage'() {
      const current = await blobs.owner();
      if (current !== owner) throw new Error(`The bundle storage now belongs to ${current ?? 'no store'}.`);
    },
  };
}
