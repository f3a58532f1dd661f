import { Loaded } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { DataTable, type TableProps } from './data-table.tsx';
import { More } from './list.tsx';
import type { Pages } from './use-pages.ts';

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
