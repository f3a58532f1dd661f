/** In which direction a column is sorted. */
export type Direction = 'asc' | 'desc';

/** By which column a table is sorted, and how. */
export type Sorting = { sort: string; direction: Direction };

/** The order that the address asks for, or the one that the table has of itself. */
export const sortingOf = (asked: Readonly<Record<string, string>>, own: Sorting): Sorting => {
  const sort = asked.sort || own.sort;
  const first = sort === own.sort ? own.direction : 'asc';
  const { direction } = asked;
  return { sort, direction: direction === 'asc' || direction === 'desc' ? direction : first };
};

/** The order once a column is chosen: another column begins at its start, the same one turns round. */
export const chosen = (now: Sorting, sort: string): Sorting => ({
  sort,
  direction: now.sort === sort && now.direction === 'asc' ? 'desc' : 'asc',
});

/** Rows in an order, those of one key as they came. */
export const sorted = <Row>(
  rows: readonly Row[],
  { direction }: Sorting,
  keyOf: (row: Row) => string,
): Row[] => {
  const turn = direction === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => turn * (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
};
