import { LIMITS } from '@svc/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';
import type { BrowseSort, ListingQuery, Position } from './listing.ts';

/**
 * Up to this number, the matches of a filter are collected and sorted; above it, the index of the sort order is scanned until a page is
 * full, which is fast with so many matches.
 */
const MAX_COLLECTED = 5_000;

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

/** The ids that match a filter, from an index that covers the query. */
const matching = (filter: Filter): RawBuilder<unknown> =>
  filter.category === null
    ? sql`select app_id from listings where hidden = 0 ${since('listings', filter)}`
    : sql`select app_id from listing_categories c
        where c.hidden = 0 and c.category = ${filter.category} ${since('c', filter)}`;

async function count(db: Database, filter: Filter): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${matching(filter)} limit ${LIMITS.catalog.maxCounted}) as counted`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/** `cross join`, because SQLite then keeps the written join order. */
const collected = (filter: Filter) => sql`(${matching(filter)}) as matching cross join listings
  where listings.app_id = matching.app_id and listings.hidden = 0`;

const scanned = (filter: Filter) => sql`listings where listings.hidden = 0 ${since('listings', filter)}
  ${
    filter.category === null
      ? sql``
      : sql`and exists (select 1 from listing_categories c
          where c.category = ${filter.category} and c.app_id = listings.app_id)`
  }`;

/** Matches the rows after a position: those with the same key and a later id, and those with a later key. */
function isAfter({ key, direction }: Order, after: Position | null): RawBuilder<unknown> {
  if (!after) return sql``;
  const compare = sql.raw(direction === 'asc' ? '>' : '<');
  // PostgreSQL would assume the type of the column, and fail for 0.5 or 1e300 in a forged cursor.
  const last =
    typeof after.key === 'number' ? sql`cast(${after.key} as double precision)` : sql`${after.key}`;
  // The second comparison implies the first, which lets the database use an index.
  return sql`and ${key} ${compare}= ${last} and (${key} ${compare} ${last} or listings.app_id > ${after.appId})`;
}

/**
 * Finds the ids of a page, and its end when there are more.
 * @param maxCollected up to how many matches of a filter are collected and sorted
 */
export async function findPage(
  db: Database,
  query: ListingQuery,
  maxCollected = MAX_COLLECTED,
): Promise<{ appIds: string[]; total: number; end: Position | null }> {
  const total = await count(db, query);
  const isFiltered = query.category !== null || query.updatedSince !== null;
  const from = isFiltered && total <= maxCollected ? collected(query) : scanned(query);
  const order = ORDERS[query.sort];
  // One additional row shows whether there is a next page.
  const { rows } = await sql<Position>`
    select listings.app_id as "appId", ${order.key} as key from ${from} ${isAfter(order, query.after)}
    order by ${order.key} ${sql.raw(order.direction)}, listings.app_id limit ${query.limit + 1}`.execute(db);
  const page = rows.slice(0, query.limit);
  return {
    appIds: page.map(({ appId }) => appId),
    total,
    end: rows.length > query.limit ? (page.at(-1) ?? null) : null,
  };
}
