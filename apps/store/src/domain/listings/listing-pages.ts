import { LIMITS } from '@svc/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/schema.ts';
import type { BrowseSort, ListingQuery, Position } from './listing.ts';

/**
 * Up to here what a filter lets through is gathered and sorted; beyond, the order's index is walked until a page is full,
 * which does not take long when there is so much of it.
 */
const MAX_GATHERED = 5_000;

type Filter = Pick<ListingQuery, 'category' | 'updatedSince'>;
type Order = { key: RawBuilder<string | number>; direction: 'asc' | 'desc' };

const column = (name: string, direction: Order['direction']): Order => ({
  key: sql.ref(`listings.${name}`),
  direction,
});

const ORDERS: Readonly<Record<BrowseSort, Order>> = {
  installs: column('installs', 'desc'),
  rating: column('rating_weighted', 'desc'),
  updated: column('updated_at', 'desc'),
  new: column('first_published_at', 'desc'),
  name: column('name_key', 'asc'),
};

const since = (table: string, { updatedSince }: Filter) =>
  updatedSince === null ? sql`` : sql`and ${sql.ref(`${table}.updated_at`)} >= ${updatedSince}`;

/** The ids that a filter lets through, out of an index that holds nothing else. */
const passing = (filter: Filter): RawBuilder<unknown> =>
  filter.category === null
    ? sql`select app_id from listings where hidden = 0 ${since('listings', filter)}`
    : sql`select app_id from listing_categories c
        where c.hidden = 0 and c.category = ${filter.category} ${since('c', filter)}`;

async function count(db: Database, filter: Filter): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${passing(filter)} limit ${LIMITS.catalog.mostCounted}) as counted`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/** `cross join`, because SQLite then joins in the order that is written. */
const gathered = (filter: Filter) => sql`(${passing(filter)}) as passing cross join listings
  where listings.app_id = passing.app_id and listings.hidden = 0`;

const walked = (filter: Filter) => sql`listings where listings.hidden = 0 ${since('listings', filter)}
  ${
    filter.category === null
      ? sql``
      : sql`and exists (select 1 from listing_categories c
          where c.category = ${filter.category} and c.app_id = listings.app_id)`
  }`;

/** What comes after a position, in two steps: those with the same key, and those with a later one. */
function behind({ key, direction }: Order, after: Position | null): RawBuilder<unknown> {
  if (!after) return sql``;
  const compare = sql.raw(direction === 'asc' ? '>' : '<');
  // PostgreSQL would take the number for one of the column's type, and fail on 0.5 or 1e300 in a made-up cursor.
  const last =
    typeof after.key === 'number' ? sql`cast(${after.key} as double precision)` : sql`${after.key}`;
  // The first comparison is implied by the second, and is what a database looks up in an index.
  return sql`and ${key} ${compare}= ${last} and (${key} ${compare} ${last} or listings.app_id > ${after.appId})`;
}

/**
 * The ids of a page, and where it ends when there is more.
 * @param mostGathered up to how many apps a filter's own are gathered
 */
export async function findPage(
  db: Database,
  query: ListingQuery,
  mostGathered = MAX_GATHERED,
): Promise<{ appIds: string[]; total: number; end: Position | null }> {
  const total = await count(db, query);
  const isFiltered = query.category !== null || query.updatedSince !== null;
  const from = isFiltered && total <= mostGathered ? gathered(query) : walked(query);
  const order = ORDERS[query.sort];
  // One row more than asked for tells whether there is a next page.
  const { rows } = await sql<Position>`
    select listings.app_id as "appId", ${order.key} as key from ${from} ${behind(order, query.after)}
    order by ${order.key} ${sql.raw(order.direction)}, listings.app_id limit ${query.limit + 1}`.execute(db);
  const page = rows.slice(0, query.limit);
  return {
    appIds: page.map(({ appId }) => appId),
    total,
    end: rows.length > query.limit ? (page.at(-1) ?? null) : null,
  };
}
