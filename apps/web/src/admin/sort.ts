export type Direction = 'asc' | 'desc';

/** The column that a table is sorted by, and the direction. */
export type Sorting = { sort: string; direction: Direction };

/** The order in the query of the page, or the default order of the table. */
export const sortingOf = (params: Readonly<Record<string, string>>, initial: Sorting): Sorting => {
  const sort = params.sort || initial.sort;
  const first = sort === initial.sort ? initial.direction : 'asc';
  const { direction } = params;
  return { sort, direction: direction === 'asc' || direction === 'desc' ? direction : first };
};

/** The order after a click on a column: the same column reverses, another one starts ascending. */
export const toggleSort = (now: Sorting, sort: string): Sorting => ({
  sort,
  direction: now.sort === sort && now.direction === 'asc' ? 'desc' : 'asc',
});
