import { z } from 'zod';
import { ApiError } from './api-error.ts';

/** Encodes the end of a page as a cursor, which is opaque to clients. */
export const writeCursor = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

const REFUSAL = {
  message: 'This cursor is not valid: start again without it.',
  advice: 'Use nextCursor of the previous page.',
};

/**
 * Decodes a cursor of `writeCursor`. Every invalid cursor gets the same refusal.
 * @param refusal the message of the error, and the advice in its issue
 * @throws ApiError invalid_request for an invalid cursor
 */
export function readCursor<T>(shape: z.ZodType<T>, cursor: string, refusal = REFUSAL): T {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    // A cursor that cannot be decoded and one for another order get the same refusal.
  }
  throw new ApiError('invalid_request', refusal.message, {
    issues: [{ code: 'cursor', level: 'error', path: '/cursor', message: refusal.advice }],
  });
}

/** The place of an item in a list in the order of ids. */
export const ById = z.tuple([z.string().max(200)]);

/** The end of a page of a sorted list: the sort key and the id of its last item. */
export type SortedPlace = { key: string; id: string };

/**
 * Reads one page of a list. Items that are added in the meantime do not shift pages: a cursor is the place of the last item of a page.
 * @param form the form of a place, by which cursors are checked
 * @param search finds the items after a place: `limit` of them, and one more when there are more
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function pageOf<T, Place extends readonly [] | readonly unknown[]>(
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  form: z.ZodType<Place>,
  search: (after: Place | null) => Promise<readonly T[]>,
  placeOf: (item: T) => Place,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const rows = await search(cursor === undefined ? null : readCursor(form, cursor));
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > items.length && last ? writeCursor(placeOf(last)) : null };
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
