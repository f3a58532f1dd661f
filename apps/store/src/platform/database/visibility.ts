import { type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Updates whether listings are hidden, which they are when their app or its publisher is suspended, the store that the app comes from
 * fails, or it is left out of lists. The flag is stored with the
 * listing, so that catalogue queries need no join; run it in the transaction that suspends either.
 */
async function updateVisibility(db: Database, apps: RawBuilder<unknown>): Promise<void> {
  const hidden = (appId: RawBuilder<unknown>) => sql`(
    select case when a.suspended = 1 or p.suspended = 1 or a.held is not null then 1 when a.delisted = 1 then 2 else 0 end
    from apps a join publishers p on p.slug = a.publisher where a.app_id = ${appId})`;
  await sql`update listings set hidden = ${hidden(sql`listings.app_id`)} where app_id in (${apps})`.execute(
    db,
  );
  await sql`update listing_categories set hidden = ${hidden(sql`listing_categories.app_id`)}
    where app_id in (${apps})`.execute(db);
}

/**
 * Updates which unfinished versions are withheld: those of a suspended app, publisher or submitter are not in the queue, and are not
 * approved, signed or published until the suspension ends; nor are those that wait for a member of their publisher.
 */
async function withholdVersions(db: Database, of: RawBuilder<unknown>): Promise<void> {
  await sql`update versions set withheld = case when
      exists (select 1 from publishers p where p.slug = versions.publisher and p.suspended = 1)
      or exists (select 1 from apps a where a.app_id = versions.app_id and a.suspended = 1)
      or (versions.submitted_by like 'person:%' and exists (
        select 1 from people u where u.id = substr(versions.submitted_by, 8) and u.suspended = 1))
      or versions.awaits_confirmation = 1
      then 1 else 0 end
    where state in ('submitted', 'checking', 'approved', 'in_review') and ${of}`.execute(db);
}

export const withholdVersionsOfSubmitter = (db: Database, personId: string): Promise<void> =>
  withholdVersions(db, sql`submitted_by = ${`person:${personId}`}`);

export const withholdVersion = (
  db: Database,
  { appId, version }: { appId: string; version: string },
): Promise<void> => withholdVersions(db, sql`app_id = ${appId} and version = ${version}`);

/** Ends what a user approved as the first of two persons: when their role ends, or another may have used their account. */
export const endFirstApprovals = async (db: Database, personId: string): Promise<void> => {
  await db
    .updateTable('versions')
    .set({ first_by: null, first_json: null })
    .where('first_by', '=', `person:${personId}`)
    .execute();
};

async function updateApps(db: Database, apps: RawBuilder<unknown>): Promise<void> {
  await updateVisibility(db, apps);
  await withholdVersions(db, sql`app_id in (${apps})`);
}

export const updateVisibilityOfApp = (db: Database, appId: string): Promise<void> =>
  updateApps(db, sql`${appId}`);

export const updateVisibilityOfPublisher = (db: Database, slug: string): Promise<void> =>
  updateApps(db, sql`select app_id from apps where publisher = ${slug}`);
