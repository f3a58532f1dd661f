import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { sql } from 'kysely';
import { databaseIn } from '../adapters/disk/data-folder.ts';
import { watchPlaces } from '../adapters/disk/in-place.ts';
import { filesOf } from '../adapters/sqlite/open-sqlite.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import type { Database } from '../platform/database/schema.ts';
import type { Probes } from '../platform/probe.ts';
import type { Settings } from './settings.ts';

/**
 * Creates the probes of readiness: whether the database and the bundle storage respond, whether they are still the ones that were opened, and
 * whether an upload can be spooled. A database file that was removed still responds; a volume or bucket that was exchanged has another owner, or none.
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
      if (databaseUrl === null) return void (await sql`select 1`.execute(db));
      // After a failover the address may be that of a replica, to which nothing can be written.
      const { rows } = await sql<{
        value: string;
      }>`select current_setting('transaction_read_only') as value`.execute(db);
      if (rows[0]?.value === 'on') throw new Error('The database is read-only.');
    },
    /** Uploads are spooled there, before they are checked. */
    async 'upload folder'() {
      const folder = join(dataDir, 'incoming');
      await access(folder, constants.W_OK);
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < LIMITS.bundle.bytes)
        throw new Error('The data folder has no space for an upload.');
    },
    async 'bundle storage'() {
      const current = await blobs.owner();
      if (current !== owner) throw new Error(`The bundle storage now belongs to ${current ?? 'no store'}.`);
    },
  };
}
