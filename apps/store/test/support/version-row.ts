import type { VersionState } from '@svc/contracts';
import { createStores, type Stores } from '../../src/adapters/database/stores.ts';
import { jobMover } from '../../src/core/domain/versions/changes.ts';
import type { Database } from '../../src/platform/database/schema.ts';

/** The version that `submitRow` submits. */
export const VERSION = { appId: 'com.example.notes', version: '1.0.0' };

const at = '2026-01-01T00:00:00.000Z';

/** Inserts a version of a new app, with as little data as the database accepts. */
export async function submitVersion(
  { apps, versions }: Pick<Stores, 'apps' | 'versions'>,
  ref: { appId: string; version: string },
  publisher: string,
  manifest: object = {},
): Promise<void> {
  await apps.add({ appId: ref.appId, publisher, suspended: false, createdAt: at });
  const upload = {
    ...ref,
    publisher,
    sha256: 'a'.repeat(64),
    size: 1,
    // biome-ignore lint/suspicious/noExplicitAny: no code under test reads it
    manifest: manifest as any,
    readme: '',
    changelog: '',
    files: [],
    issues: [],
    submittedAt: at,
    submittedBy: 'somebody',
  };
  await versions.add(upload, jobMover('checker', at));
}

/** Inserts `VERSION`. */
export const submitRow = (stores: Pick<Stores, 'apps' | 'versions'>): Promise<void> =>
  submitVersion(stores, VERSION, 'example');

/** Inserts a publisher. */
export const addPublisher = (db: Database) =>
  db
    .insertInto('publishers')
    .values({
      slug: 'example',
      name: 'Example',
      verified: 0,
      suspended: 0,
      created_at: at,
      look: 'example',
      proof: '',
    })
    .execute();

/** Inserts a publisher, and a version of it in a given state. */
export async function addVersion(db: Database, state: VersionState): Promise<void> {
  await addPublisher(db);
  await submitRow(createStores(db));
  await db.updateTable('versions').set({ state }).execute();
}
