import { randomUUID } from 'node:crypto';
import { createStores, createUnitOfWork } from '../../apps/store/src/adapters/database/stores.ts';
import { sweepOrphans } from '../../apps/store/src/core/publishing/sweep-orphans.ts';
import type { Database } from '../../apps/store/src/platform/database/schema.ts';
import { hashOf } from './client.ts';
import type { Site } from './site.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** The result of checking database and blobs from outside the store. */
export type Findings = {
  /** Faults, in sentences. */
  faults: string[];
  /** Unreferenced blobs, which a sweep removes. */
  orphans: number;
};

async function withDatabase<T>(site: Site, look: (db: Database) => Promise<T>): Promise<T> {
  // Opened for each check: an open connection would prevent SQLite's recovery after a kill.
  const db = await site.openDatabase();
  try {
    return await look(db);
  } finally {
    await db.destroy();
  }
}

/** The hashes of all referenced blobs, read from the versions themselves. */
async function knownHashes(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('versions').select(['sha256', 'files_json']).execute();
  const filesOf = (text: string): { sha256: string }[] => JSON.parse(text);
  return new Set(rows.flatMap((row) => [row.sha256, ...filesOf(row.files_json).map(({ sha256 }) => sha256)]));
}

async function halfDone(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('versions').select(['app_id', 'version', 'state', 'signature']).execute();
  const listed = await db.selectFrom('listings').select('app_id').execute();
  const names = new Set(listed.map(({ app_id }) => app_id));
  return rows.flatMap(({ app_id, version, state, signature }) => {
    const isPublished = state === 'published';
    if (isPublished && signature === null) return [`${app_id} ${version} is published without a signature`];
    if (isPublished && !names.has(app_id)) return [`${app_id} ${version} is published and not listed`];
    return [];
  });
}

async function damaged(site: Site, known: ReadonlySet<string>, held: ReadonlySet<string>): Promise<string[]> {
  const faults: string[] = [];
  for (const sha256 of known) {
    const bytes = held.has(sha256) ? await site.blobs.read(sha256) : null;
    if (!bytes) faults.push(`a version has lost the bytes ${sha256}`);
    else if (hashOf(bytes) !== sha256) faults.push(`the bytes ${sha256} are not what they were`);
  }
  return faults;
}

/**
 * Compares the database with the blobs. Run it while nothing is being published.
 * @param look `names` checks only that all blobs exist, `bytes` reads them
 */
export const findingsOf = (site: Site, look: 'names' | 'bytes'): Promise<Findings> =>
  withDatabase(site, async (db) => {
    const [half, known, list] = [await halfDone(db), await knownHashes(db), await site.blobs.list()];
    const held = new Set(list);
    const lost =
      look === 'bytes'
        ? await damaged(site, known, held)
        : [...known]
            .filter((sha256) => !held.has(sha256))
            .map((sha256) => `a version has lost the bytes ${sha256}`);
    return {
      faults: [...half, ...lost],
      orphans: list.filter((sha256) => !known.has(sha256)).length,
    };
  });

/** The unfinished versions, between two states: only a dead or failing process may leave them there. */
export const underWay = (site: Site): Promise<string[]> =>
  withDatabase(site, async (db) => {
    const rows = await db
      .selectFrom('versions')
      .select(['app_id', 'version', 'state'])
      .where('state', 'in', ['submitted', 'checking', 'approved'])
      .execute();
    return rows.map(({ app_id, version, state }) => `${app_id} ${version} is ${state}`);
  });

/** Runs the store's sweep for leftovers of any age, and reports what remains. Run it without a store. */
export const leftBySweep = (site: Site): Promise<string[]> =>
  withDatabase(site, async (db) => {
    const stores = createStores(db);
    const blobs = await site.blobs.asStore();
    const deps = {
      ...stores,
      blobs,
      unitOfWork: createUnitOfWork(db),
      clock: () => new Date(),
      newId: randomUUID,
    };
    await sweepOrphans({ ...deps, log: SILENT }, { graceMs: 0 });
    const known = await knownHashes(db);
    const orphans = (await site.blobs.list()).filter((sha256) => !known.has(sha256));
    const incoming = await site.blobs.incoming();
    return [
      ...orphans.map(
        (sha256) => `the bytes ${sha256} belong to no version, and the sweep did not delete them`,
      ),
      ...incoming.map((file) => `${file} was left on its way in`),
    ];
  });
