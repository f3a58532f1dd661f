import { type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Notes with listings whether they may be shown: neither their app nor its publisher is suspended. It stands with them, so
 * that pages are found without asking for each app; run it in the transaction that suspended either.
 */
async function noteVisibility(db: Database, apps: RawBuilder<unknown>): Promise<void> {
  const hidden = (appId: RawBuilder<unknown>) => sql`(
    select case when a.suspended = 1 or p.suspended = 1 then 1 else 0 end
    from apps a join publishers p on p.slug = a.publisher where a.app_id = ${appId})`;
  await sql`update listings set hidden = ${hidden(sql`listings.app_id`)} where app_id in (${apps})`.execute(
    db,
  );
  await sql`update listing_categories set hidden = ${hidden(sql`listing_categories.app_id`)}
    where app_id in (${apps})`.execute(db);
}

export const noteVisibilityOfApp = (db: Database, appId: string): Promise<void> =>
  noteVisibility(db, sql`${appId}`);

export const noteVisibilityOfPublisher = (db: Database, slug: string): Promise<void> =>
  noteVisibility(db, sql`select app_id from apps where publisher = ${slug}`);
