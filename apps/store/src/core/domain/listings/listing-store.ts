import { beginningsOf, looksOf } from '@svc/validator';
import { sql } from 'kysely';
import { allOf, firstOf, hasRow } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import type { Hidden } from '../../../platform/database/tables/columns.ts';
import { publisherOf } from '../identity/publisher-store.ts';
import { iconLookOf, type VersionRef } from '../versions/version-record.ts';
import { appStatsOf, storedAppStatsOf } from './app-stats-store.ts';
import type { ListedApp, Listing, ListingQuery, Position } from './listing.ts';
import { findPage } from './listing-pages.ts';
import type { AppStats } from './popularity.ts';
import { indexApp, removeFromIndex, updateIndexedRank } from './search/search-writer.ts';

async function listedApps(db: Database, appIds: readonly string[]): Promise<ListedApp[]> {
  if (appIds.length === 0) return [];
  const rows = await db
    .selectFrom('listings')
    .innerJoin('publishers', 'publishers.slug', 'listings.publisher')
    .selectAll('publishers')
    .select(['listings.app_id', 'listings.version', 'listings.updated_at'])
    .select(['listings.installs', 'listings.rating_average', 'listings.rating_count'])
    .where('listings.app_id', 'in', appIds)
    .where('listings.hidden', '<>', 1)
    .execute();
  const byApp = new Map(
    rows.map((row): [string, ListedApp] => [
      row.app_id,
      {
        appId: row.app_id,
        version: row.version,
        publishedAt: row.updated_at,
        publisher: publisherOf(row),
        installs: row.installs,
        rating: { average: row.rating_average, count: row.rating_count },
      },
    ]),
  );
  return appIds.flatMap((appId) => byApp.get(appId) ?? []);
}

/** The publisher of an app, and whether lists and pages show the app. */
async function ownerOf(db: Database, appId: string) {
  const row = await db
    .selectFrom('apps')
    .innerJoin('publishers', 'publishers.slug', 'apps.publisher')
    .select(['slug', 'name', 'delisted'])
    .select(['apps.suspended as appSuspended', 'publishers.suspended as publisherSuspended'])
    .where('apps.app_id', '=', appId)
    .executeTakeFirstOrThrow();
  const isSuspended = row.appSuspended === 1 || row.publisherSuspended === 1;
  const hidden: Hidden = isSuspended ? 1 : row.delisted === 1 ? 2 : 0;
  return { slug: row.slug, name: row.name, hidden };
}

async function putInCategories(
  db: Database,
  appId: string,
  categories: Listing['categories'],
  columns: { updated_at: string; hidden: Hidden },
): Promise<void> {
  await db.deleteFrom('listing_categories').where('app_id', '=', appId).execute();
  const rows = [...new Set(categories)].map((category) => ({ app_id: appId, category, ...columns }));
  if (rows.length > 0) await db.insertInto('listing_categories').values(rows).execute();
}

async function putRequirements(
  db: Database,
  appId: string,
  requires: Listing['requires'] = [],
): Promise<void> {
  await db.deleteFrom('app_requirements').where('app_id', '=', appId).execute();
  const rows = [...new Set(requires)].map((id) => ({ requires: id, app_id: appId }));
  if (rows.length > 0) await db.insertInto('app_requirements').values(rows).execute();
}

/** Digits of one band of the look of an icon. */
const BAND = 4;

/** The bands of the look of an icon, as they are looked up: looks that differ in fewer bits than there are bands share one. */
const bandsOf = (look: string | null): string[] =>
  look === null
    ? []
    : Array.from(
        { length: look.length / BAND },
        (_, at) => `#${at} ${look.slice(at * BAND, (at + 1) * BAND)}`,
      );

/** The looks of an id: of its last part, and of all but its first part, which is the same under another top-level domain. */
const idLooksOf = (appId: string): string[] => {
  const [, ...rest] = appId.toLowerCase().split('.');
  return [`.${rest.at(-1)}`, ...(rest.length > 1 ? [`..${rest.join('.')}`] : [])];
};

/** Everything under which an app is looked up: its name, its icon and its id. */
export const allLooksOf = (appId: string, name: string, iconLook: string | null): string[] => [
  ...looksOf(name),
  ...bandsOf(iconLook),
  ...idLooksOf(appId),
];

/** An app of another publisher that may look like one. `isStopped`: it is suspended, or all its versions are yanked. */
export type Look = VersionRef & {
  name: string;
  publisher: string;
  iconLook: string | null;
  isStopped: boolean;
};

/** Records the looks under which a listed app is looked up. */
async function putLooks(db: Database, appId: string, looks: readonly string[]): Promise<void> {
  await db.deleteFrom('app_looks').where('app_id', '=', appId).execute();
  const rows = looks.map((look) => ({ look, app_id: appId }));
  if (rows.length > 0) await db.insertInto('app_looks').values(rows).execute();
}

/** Apps that an app is compared with: one that looks like many looks like one. */
const MAX_ALIKE = 2_000;

/** The apps of other publishers with one of some looks, with their listing. */
const appsWithLooks = (db: Database, publisher: string, looks: readonly string[]) =>
  db
    .selectFrom('apps as a')
    .leftJoin('listings as l', 'l.app_id', 'a.app_id')
    .select([
      'a.app_id as appId',
      'a.publisher',
      'l.version',
      'l.name',
      'l.icon_look as iconLook',
      'l.hidden',
    ])
    .where('a.app_id', 'in', (app) => app.selectFrom('app_looks').select('app_id').where('look', 'in', looks))
    .where('a.publisher', '<>', publisher)
    .limit(MAX_ALIKE);

/** How an app looks. One that is not listed looks as its last yanked version did; null when it has none. */
async function lookOf(
  db: Database,
  { version, name, hidden, ...row }: Awaited<ReturnType<ReturnType<typeof appsWithLooks>['execute']>>[number],
): Promise<Look | null> {
  if (version !== null && name !== null) return { ...row, version, name, isStopped: hidden === 1 };
  return firstOf(
    db
      .selectFrom('versions')
      .select(['version', 'name', 'manifest_json', 'files_json'])
      .where('app_id', '=', row.appId)
      .where('state', '=', 'yanked')
      .orderBy('published_at', 'desc')
      .limit(1),
    ({ version, name, manifest_json, files_json }) => ({
      ...row,
      ...{ version, name, isStopped: true },
      iconLook: iconLookOf({ manifest: JSON.parse(manifest_json), files: JSON.parse(files_json) }),
    }),
  );
}

/** Stores the listings of the catalogue. */
export function createListingStore(db: Database) {
  return {
    async put(listing: Listing): Promise<void> {
      const { appId, version, name, categories, iconLook = null, updatedAt } = listing;
      const owner = await ownerOf(db, appId);
      const columns = {
        version,
        name,
        name_key: name.toLowerCase(),
        first_published_at: listing.firstPublishedAt,
        updated_at: updatedAt,
        hidden: owner.hidden,
        publisher: owner.slug,
        icon_look: iconLook,
      };
      // An app that is listed again may have installations and ratings.
      const { installs, rating } = appStatsOf(await storedAppStatsOf(db, appId));
      const appStats = { installs, rating_average: rating.average, rating_count: rating.count };
      await db
        .insertInto('listings')
        .values({ app_id: appId, ...appStats, ...columns })
        .onConflict((conflict) => conflict.column('app_id').doUpdateSet(columns))
        .execute();
      await putInCategories(db, appId, categories, { updated_at: updatedAt, hidden: owner.hidden });
      await putRequirements(db, appId, listing.requires);
      await putLooks(db, appId, allLooksOf(appId, name, iconLook));
      await indexApp(db, { appId, name, description: listing.description, categories, publisher: owner });
    },
    /** @param keepsLooks whether other apps are still compared with it: those of an app that is yanked are */
    async remove(appId: string, { keepsLooks = false }: { keepsLooks?: boolean } = {}): Promise<void> {
      await removeFromIndex(db, appId);
      await putRequirements(db, appId);
      if (!keepsLooks) await putLooks(db, appId, []);
      await db.deleteFrom('listing_categories').where('app_id', '=', appId).execute();
      await db.deleteFrom('listings').where('app_id', '=', appId).execute();
    },
    updateRank: (appId: string, appStats: AppStats): Promise<void> => updateIndexedRank(db, appId, appStats),
    find: async (appId: string): Promise<ListedApp | null> => (await listedApps(db, [appId]))[0] ?? null,
    /** Finds the listings of some apps, in the given order, without those that are not listed. */
    findAll: (appIds: readonly string[]): Promise<ListedApp[]> => listedApps(db, appIds),
    /**
     * Apps of other publishers that may look like one, also stopped ones: names one edit apart share a look, icons that look alike a band. A
     * name may also begin with theirs. The last part of an id counts only beside stopped apps: it is `notes` of many.
     */
    async withLooks({
      id,
      publisher,
      name,
      iconLook,
    }: {
      id: string;
      publisher: string;
      name: string;
      iconLook: string | null;
    }): Promise<Look[]> {
      const [last = '', ...rest] = idLooksOf(id);
      const found = await appsWithLooks(db, publisher, [
        ...looksOf(name),
        ...beginningsOf(name),
        ...bandsOf(iconLook),
        ...rest,
      ]).execute();
      const stopped = await appsWithLooks(db, publisher, [last])
        .where((app) => app.or([app('l.hidden', '=', 1), app('l.app_id', 'is', null)]))
        .execute();
      const all = new Map([...found, ...stopped].map((row) => [row.appId, row]));
      const looks = await Promise.all([...all.values()].map((row) => lookOf(db, row)));
      return looks.filter((look) => look !== null);
    },
    /** The ids of a publisher's listed apps, including hidden ones. */
    ofPublisher: (slug: string): Promise<string[]> =>
      allOf(
        db.selectFrom('listings').select('app_id').where('publisher', '=', slug).orderBy('app_id'),
        ({ app_id }) => app_id,
      ),
    /** The listed version of an app, including a hidden one, and when the app was first published; null when it is not listed. */
    listedVersion: (appId: string): Promise<{ version: string; firstPublishedAt: string } | null> =>
      firstOf(
        db
          .selectFrom('listings')
          .select(['version', 'first_published_at as firstPublishedAt'])
          .where('app_id', '=', appId),
        (row) => row,
      ),
    /** The ids of a publisher's public apps, the most installed first. */
    mostInstalledOf: (slug: string, limit: number): Promise<string[]> =>
      allOf(
        db
          .selectFrom('listings')
          .select('app_id')
          .where('publisher', '=', slug)
          .where('hidden', '=', 0)
          .orderBy('installs', 'desc')
          .orderBy('app_id')
          .limit(limit),
        ({ app_id }) => app_id,
      ),
    /** Public apps by id, and when their listed version was published: after one, or from a place on. */
    async updatesAfter(
      after: string,
      { limit, offset = 0 }: { limit: number; offset?: number },
    ): Promise<{ appId: string; updatedAt: string }[]> {
      // As one text: the values of each row would stay in the old generation of the heap until its next collection, of a million apps.
      const { rows } = await sql<{ texts: string | null }>`
        select string_agg(app_id || ' ' || updated_at, ' ' order by app_id) as texts from (select app_id, updated_at from listings
          where hidden = 0 and app_id > ${after} order by app_id limit ${limit} offset ${offset}) as found`.execute(
        db,
      );
      const texts = rows[0]?.texts?.split(' ') ?? [];
      return Array.from({ length: texts.length / 2 }, (_, n) => ({
        appId: texts[2 * n] ?? '',
        updatedAt: texts[2 * n + 1] ?? '',
      }));
    },
    isListed: (appId: string): Promise<boolean> =>
      hasRow(db.selectFrom('listings').select('app_id').where('app_id', '=', appId).where('hidden', '<>', 1)),
    /** Reads one page; `end` is null on the last. Up to 10,000 apps are counted. */
    async page(query: ListingQuery): Promise<{ apps: ListedApp[]; total: number; end: Position | null }> {
      const { appIds, total, end } = await findPage(db, query);
      return { apps: await listedApps(db, appIds), total, end };
    },
  };
}

export type ListingStore = ReturnType<typeof createListingStore>;
