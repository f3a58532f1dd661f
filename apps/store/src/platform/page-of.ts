import { z } from 'zod';
import { readCursor, writeCursor } from './cursor.ts';

const Cursor = z.tuple([z.string().max(200)]);

/** Where a page of a sorted list ends: the sort key and the id of its last item. */
export type SortedPlace = { key: string; id: string };

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

/**
 * One page of a list in the order of a key.
 * @param search finds what comes after a key: as many as `limit` says, and one more when there are more
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function pageOf<T>(
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  search: (after: string | null) => Promise<T[]>,
  keyOf: (item: T) => string,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const [after = null] = cursor === undefined ? [] : readCursor(Cursor, cursor, NOT_OURS);
  const found = await search(after);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = found.length > items.length && last !== undefined ? writeCursor([keyOf(last)]) : null;
  return { items, nextCursor };
}

/**
 * One page of a list in an order that was asked for; ids break ties. A cursor names its order: going on in another one would skip
 * or repeat items.
 * @param search finds what comes after a place: as many as `limit` says, and one more when there are more
 * @throws ApiError invalid_request for a cursor that no page in this order gave
 */
export async function sortedPageOf<T>(
  { cursor, limit, order }: { cursor?: string | undefined; limit: number; order: string },
  search: (after: SortedPlace | null) => Promise<T[]>,
  placeOf: (item: T) => SortedPlace,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const Sorted = z.tuple([z.literal(order), z.string().max(400), z.string().max(200)]);
  const [, key, id] = cursor === undefined ? [] : readCursor(Sorted, cursor, NOT_OURS);
  const found = await search(key !== undefined && id !== undefined ? { key, id } : null);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const place = found.length > items.length && last !== undefined ? placeOf(last) : null;
  return { items, nextCursor: place && writeCursor([order, place.key, place.id]) };
}
