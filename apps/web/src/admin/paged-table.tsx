import type { ApiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { Card, LoadMore } from '../account/parts.tsx';
import { DataTable, type TableProps } from './data-table.tsx';

type OnePage = { nextCursor: string | null };

/** The parameters that are not empty. */
export const filled = <Name extends string>(
  params: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;

/**
 * Reads a paged list.
 * @param pageAt builds the request for the page at a cursor; undefined for the first one
 */
export const usePages = <P extends OnePage>(pageAt: (cursor?: string) => ApiRequest<P>) =>
  useInfiniteQuery({
    queryKey: [pageAt().path],
    queryFn: ({ pageParam }) => read(pageAt(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: P) => last.nextCursor,
    // The old rows stay until the new order is loaded: the heading that was pressed keeps the focus.
    placeholderData: keepPreviousData,
  });

type PagedTableProps<Page, Row> = Omit<TableProps<Row>, 'rows'> & {
  pageAt(cursor?: string): ApiRequest<Page>;
  rowsOf(page: Page): readonly Row[];
};

/** A card with the table of a paged list, and a button that loads the next page. */
export function PagedTable<Page extends OnePage, Row>({
  pageAt,
  rowsOf,
  ...table
}: PagedTableProps<Page, Row>) {
  const query = usePages(pageAt);
  return (
    <Card>
      <Loaded query={query}>{({ pages }) => <DataTable {...table} rows={pages.flatMap(rowsOf)} />}</Loaded>
      <LoadMore query={query} label="Load more" />
    </Card>
  );
}
