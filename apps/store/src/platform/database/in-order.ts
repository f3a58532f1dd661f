import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SortedPlace } from '../page-of.ts';

type Order = {
  key: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
};

/** What comes after a place, as row values, which both databases look up in an index of key and id. */
export const behindPlace = ({ key, id, direction }: Order, after: SortedPlace): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${key}, ${id}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.key}, ${after.id})`;
