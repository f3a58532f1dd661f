import type { CorpusApp, CorpusPublisher } from '@svc/testkit';
import { sql } from 'kysely';
import { createStores, type Stores } from '../../src/adapters/database/stores.ts';
import type { Database } from '../../src/platform/database/schema.ts';
import { submitVersion } from './version-row.ts';

const at = '2026-01-01T00:00:00.000Z';

async function listApp(
  stores: Stores,
  { appId, name, description, categories, publisher, ...appStats }: CorpusApp,
): Promise<void> {
  await submitVersion(stores, { appId, version: '1.0.0' }, publisher);
  await stores.listings.put({
    appId,
    version: '1.0.0',
    name,
    description,
    categories,
    firstPublishedAt: at,
    updatedAt: at,
  });
  await stores.listings.updateRank(appId, appStats);
}

/** Apps per transaction. */
const AT_ONCE = 50;

/** Lists the apps of a generated catalogue, like their publication. */
export async function listCorpus(
  db: Database,
  publishers: Iterable<CorpusPublisher>,
  apps: Iterable<CorpusApp>,
): Promise<void> {
  const all = createStores(db).publishers;
  for (const { slug, name, verified } of publishers) {
    await all.create({ slug, name, verified, suspended: false, createdAt: at }, { look: slug, proof: '' });
  }
  const waiting = [...apps];
  while (waiting.length > 0) {
    await db.transaction().execute(async (tx) => {
      for (const app of waiting.splice(0, AT_ONCE)) await listApp(createStores(tx), app);
    });
  }
  await sql`analyze`.execute(db);
}
