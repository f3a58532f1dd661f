import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SortedPlace } from '../page-of.ts';

type Order = {
  key: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
};

/** Matches the rows after a place, with row values, for which both databases use an index of key and id. */
export const isAfterPlace = ({ key, id, direction }: Order, after: SortedPlace): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${key}, ${id}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.key}, ${after.id})`;
