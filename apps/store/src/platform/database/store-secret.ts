import { insertMissing } from './queries.ts';
import type { Database } from './schema.ts';

/** The store's secret for a purpose: the stored one, or else the fresh one, which is then stored. */
export async function storeSecret(db: Database, name: string, fresh: string): Promise<string> {
  await insertMissing(db.insertInto('store_secrets').values({ name, secret: fresh }));
  const kept = db.selectFrom('store_secrets').select('secret').where('name', '=', name);
  return (await kept.executeTakeFirstOrThrow()).secret;
}
