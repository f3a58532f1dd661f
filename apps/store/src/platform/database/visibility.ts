import { type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Updates whether listings are hidden, which they are when their app or its publisher is suspended. The flag is stored with the
 * listing, so that catalogue queries need no join; run it in the transaction that suspends either.
 */
async function updateVisibility(db: Database, apps: RawBuilder<unknown>): Promise<void> {
  const hidden = (appId: RawBuilder<unknown>) => sql`(
    select case when a.suspended = 1 or p.suspended = 1 then 1 else 0 end
    from apps a join publishers p on p.slug = a.publisher where a.app_id = ${appId})`;
  await sql`update listings set hidden = ${hidden(sql`listings.app_id`)} where app_id in (${apps})`.execute(
    db,
  );
  await sql`update listing_categories set hidden = ${hidden(sql`listing_categories.app_id`)}
    where app_id in (${apps})`.execute(db);
}

export const updateVisibilityOfApp = (db: Database, appId: string): Promise<void> =>
  updateVisibility(db, sql`${appId}`);

export const updateVisibilityOfPublisher = (db: Database, slug: string): Promise<void> =>
  updateVisibility(db, sql`select app_id from apps where publisher = ${slug}`);
