import { z } from 'zod';
import { readCursor, writeCursor } from './cursor.ts';

const Cursor = z.tuple([z.string().max(200)]);

/** The end of a page of a sorted list: the sort key and the id of its last item. */
export type SortedPlace = { key: string; id: string };

/**
 * Reads one page of a list in the order of a key.
 * @param search finds the items after a key: `limit` of them, and one more when there are more
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function pageOf<T>(
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  search: (after: string | null) => Promise<T[]>,
  keyOf: (item: T) => string,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const [after = null] = cursor === undefined ? [] : readCursor(Cursor, cursor);
  const rows = await search(after);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > items.length && last !== undefined ? writeCursor([keyOf(last)]) : null;
  return { items, nextCursor };
}

/**
 * Reads one page of a list in a requested order; ids break ties. A cursor includes its order: in another one it would skip or repeat
 * items.
 * @param search finds the items after a place: `limit` of them, and one more when there are more; or where it stopped searching
 * @throws ApiError invalid_request for an invalid cursor, or one of another order
 */
export async function sortedPageOf<T>(
  { cursor, limit, order }: { cursor?: string | undefined; limit: number; order: string },
  search: (after: SortedPlace | null) => Promise<{ rows: T[]; end: SortedPlace | null }>,
  placeOf: (item: T) => SortedPlace,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const Sorted = z.tuple([z.literal(order), z.string().max(400), z.string().max(200)]);
  const [, key, id] = cursor === undefined ? [] : readCursor(Sorted, cursor);
  const { rows, end } = await search(key !== undefined && id !== undefined ? { key, id } : null);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const place = rows.length > items.length && last !== undefined ? placeOf(last) : end;
  return { items, nextCursor: place && writeCursor([order, place.key, place.id]) };
}
