import { z } from 'zod';
import { readCursor, writeCursor } from './cursor.ts';

const Cursor = z.tuple([z.string().max(200)]);

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
