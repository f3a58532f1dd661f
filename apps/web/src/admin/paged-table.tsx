import type { ApiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { Card, LoadMore } from '../account/parts.tsx';
import { usePages } from '../dashboard/use-live.ts';
import { DataTable, type TableProps } from './data-table.tsx';

type OnePage = { nextCursor: string | null };

/** The parameters that are not empty. */
export const filled = <Name extends string>(
  params: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;

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
