import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { ListedApp, ListingQuery, ListingStore, Sort } from '../../catalog/listing-store.ts';
import { publisherOf } from './publisher-store.ts';
import type { Database, Tables } from './schema.ts';

/** Escapes what LIKE takes for a wildcard, so that a search for `100%` means just that. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
const like = (column: string, pattern: string) =>
  sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;

type Order = { key: Expression<unknown>; direction: 'asc' | 'desc' };

/** How near a name comes to the words looked for: the whole of it, its start, the start of a word, or elsewhere. */
function relevance(words: readonly string[]): Expression<number> {
  const phrase = words.join(' ');
  const name = 'listings.name_key';
  return sql<number>`case
    when ${sql.ref(name)} = ${phrase} or ${sql.ref('listings.app_id')} = ${phrase} then 4
    when ${like(name, `${literal(phrase)}%`)} then 3
    when ${like(name, `% ${literal(phrase)}%`)} then 2
    when ${like(name, `%${literal(phrase)}%`)} then 1
    else 0 end`;
}

const orderOf = (sort: Sort, words: readonly string[]): Order => {
  const column = (name: string, direction: Order['direction']): Order => ({ key: sql.ref(name), direction });
  const orders: Record<Sort, () => Order> = {
    relevance: () => ({ key: relevance(words), direction: 'desc' }),
    installs: () => column('listings.installs', 'desc'),
    rating: () => column('listings.rating_average', 'desc'),
    updated: () => column('listings.updated_at', 'desc'),
    new: () => column('listings.first_published_at', 'desc'),
    name: () => column('listings.name_key', 'asc'),
  };
  return orders[sort]();
};

/** Listings that the public may see, with the version they list and whose they are. */
const visible = (db: Database) =>
  db
    .selectFrom('listings')
    .innerJoin('apps', 'apps.app_id', 'listings.app_id')
    .innerJoin('publishers', 'publishers.slug', 'apps.publisher')
    .where('apps.suspended', '=', 0)
    .where('publishers.suspended', '=', 0);

function matching(db: Database, { words, category }: ListingQuery) {
  let query = visible(db);
  for (const word of words) query = query.where(like('listings.search_text', `%${literal(word)}%`));
  if (category === null) return query;
  return query.where((where: ExpressionBuilder<Tables, 'listings'>) =>
    where.exists(
      where
        .selectFrom('listing_categories')
        .select('listing_categories.app_id')
        .whereRef('listing_categories.app_id', '=', 'listings.app_id')
        .where('listing_categories.category', '=', category),
    ),
  );
}

async function listedApps(db: Database, appIds: readonly string[]): Promise<Map<string, ListedApp>> {
  if (appIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('listings')
    .innerJoin('apps', 'apps.app_id', 'listings.app_id')
    .innerJoin('publishers', 'publishers.slug', 'apps.publisher')
    .selectAll('publishers')
    .select(['listings.app_id', 'listings.version', 'listings.updated_at'])
    .select(['listings.installs', 'listings.rating_average', 'listings.rating_count'])
    .where('listings.app_id', 'in', appIds)
    .execute();
  return new Map(
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
}

async function pageOf(db: Database, query: ListingQuery) {
  const { key, direction } = orderOf(query.sort, query.words);
  const { after, limit } = query;
  const compare = sql.raw(direction === 'asc' ? '>' : '<');
  let rows = matching(db, query).select(['listings.app_id as appId', sql<string | number>`${key}`.as('key')]);
  if (after) {
    // PostgreSQL would take the number for one of the column's type, and fail on 0.5 or 1e300 in a made-up cursor.
    const last = typeof after.key === 'number' ? sql`cast(${after.key} as double precision)` : after.key;
    rows = rows.where(
      sql<SqlBool>`(${key} ${compare} ${last} or (${key} = ${last} and listings.app_id > ${after.appId}))`,
    );
  }
  // One row more than asked for tells whether there is a next page.
  const found = await rows
    .orderBy(sql`${key}`, direction)
    .orderBy('listings.app_id')
    .limit(limit + 1)
    .execute();
  const page = found.slice(0, limit);
  return { page, end: found.length > limit ? (page.at(-1) ?? null) : null };
}

async function isListed(db: Database, appId: string): Promise<boolean> {
  const row = await visible(db)
    .select('listings.app_id')
    .where('listings.app_id', '=', appId)
    .executeTakeFirst();
  return row !== undefined;
}

/** What the catalogue lists, in the database. */
export function createListingStore(db: Database): ListingStore {
  return {
    async put({ appId, version, name, description, categories, firstPublishedAt, updatedAt }) {
      const { publisher } = await db
        .selectFrom('apps')
        .innerJoin('publishers', 'publishers.slug', 'apps.publisher')
        .select(sql<string>`publishers.slug || ' ' || publishers.name`.as('publisher'))
        .where('apps.app_id', '=', appId)
        .executeTakeFirstOrThrow();
      const columns = {
        version,
        name,
        name_key: name.toLowerCase(),
        search_text: [name, appId, publisher, description].join('\n').toLowerCase(),
        first_published_at: firstPublishedAt,
        updated_at: updatedAt,
      };
      await db
        .insertInto('listings')
        .values({ app_id: appId, installs: 0, rating_average: 0, rating_count: 0, ...columns })
        .onConflict((conflict) => conflict.column('app_id').doUpdateSet(columns))
        .execute();
      await db.deleteFrom('listing_categories').where('app_id', '=', appId).execute();
      const rows = [...new Set(categories)].map((category) => ({ app_id: appId, category }));
      if (rows.length > 0) await db.insertInto('listing_categories').values(rows).execute();
    },
    async remove(appId) {
      await db.deleteFrom('listing_categories').where('app_id', '=', appId).execute();
      await db.deleteFrom('listings').where('app_id', '=', appId).execute();
    },
    async find(appId) {
      return (await isListed(db, appId)) ? ((await listedApps(db, [appId])).get(appId) ?? null) : null;
    },
    isListed: (appId) => isListed(db, appId),
    async page(query) {
      const counted = matching(db, query).select((count) => count.fn.countAll().as('total'));
      const { total } = await counted.executeTakeFirstOrThrow();
      const { page, end } = await pageOf(db, query);
      const apps = await listedApps(
        db,
        page.map(({ appId }) => appId),
      );
      return { apps: page.flatMap(({ appId }) => apps.get(appId) ?? []), total: Number(total), end };
    },
  };
}
