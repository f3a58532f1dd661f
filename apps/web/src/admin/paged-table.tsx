import type { ApiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { read } from '../account/api.ts';
import { Card } from '../account/parts.tsx';
import { DataTable, type TableProps } from './data-table.tsx';
import { More } from './list.tsx';

type OnePage = { nextCursor: string | null };

/** The parameters that are not empty. */
export const filled = <Name extends string>(
  params: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;

/** The loaded pages of a list. `more` loads the next one; null when there is none. */
type Pages<P> = {
  data: P[] | undefined;
  error: Error | null;
  refetch(): unknown;
  more: (() => void) | null;
};

/**
 * Reads a paged list.
 * @param pageAt builds the request for the page at a cursor; undefined for the first one
 */
export function usePages<P extends OnePage>(pageAt: (cursor?: string) => ApiRequest<P>): Pages<P> {
  const pages = useInfiniteQuery({
    queryKey: [pageAt().path],
    queryFn: ({ pageParam }) => read(pageAt(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: P) => last.nextCursor,
    // The old rows stay until the new order is loaded: the heading that was pressed keeps the focus.
    placeholderData: keepPreviousData,
  });
  return {
    data: pages.data?.pages,
    error: pages.error,
    refetch: pages.refetch,
    more: pages.hasNextPage ? () => void pages.fetchNextPage() : null,
  };
}

type PagedTableProps<Page, Row> = Omit<TableProps<Row>, 'rows'> & {
  pages: Pages<Page>;
  rowsOf(page: Page): readonly Row[];
};

/** A card with the table of a paged list, and a button that loads the next page. */
export const PagedTable = <Page, Row>({ pages, rowsOf, ...table }: PagedTableProps<Page, Row>) => (
  <Card>
    <Loaded query={pages}>{(all) => <DataTable {...table} rows={all.flatMap(rowsOf)} />}</Loaded>
    <More more={pages.more} />
  </Card>
);
