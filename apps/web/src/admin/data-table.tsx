import { Button, day, EmptyState } from '@svc/ui';
import type { ReactNode } from 'react';
import { goTo } from '../address.ts';
import { type Sorting, toggleSort } from './sort.ts';

/** A column: its heading, its sort key when it is sortable, and its cell. The first column names the row. */
export type Column<Row> = {
  label: string;
  sort?: string;
  /** Whether its cells stand at the end, as numbers and menus do. */
  atEnd?: true;
  cell(row: Row): ReactNode;
};

/** The date of a cell, on one line where columns have room. */
export const Day = ({ at }: { at: string }) => <time dateTime={at}>{day(at)}</time>;

const ARIA = { asc: 'ascending', desc: 'descending' } as const;
const ARROW = { asc: '↑', desc: '↓' } as const;

/** Sorts by a column. The URL holds the order. */
function sortBy(now: Sorting, sort: string): void {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(toggleSort(now, sort))) query.set(name, value);
  goTo(query);
}

const classOf = ({ atEnd }: { atEnd?: true }) => (atEnd ? { className: 'end' } : {});

function Heading<Row>({ column, now }: { column: Column<Row>; now: Sorting | undefined }) {
  const { label, sort } = column;
  if (sort === undefined || !now)
    return (
      <th scope="col" {...classOf(column)}>
        {label}
      </th>
    );
  const isSorted = now.sort === sort;
  return (
    <th scope="col" className="sorts" {...(isSorted && { 'aria-sort': ARIA[now.direction] })}>
      <Button className="quiet" onClick={() => sortBy(now, sort)}>
        {label} <span aria-hidden="true">{isSorted ? ARROW[now.direction] : '↕'}</span>
      </Button>
    </th>
  );
}

export type TableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string | number;
  sorting?: Sorting;
};

/** The place of a table without rows: what was searched for was not found, or nothing is there yet. */
function NoRows({ label }: { label: string }) {
  const isSearched = [...new URLSearchParams(window.location.search)].some(
    ([name, value]) => value !== '' && name !== 'sort' && name !== 'direction',
  );
  return isSearched ? (
    <EmptyState icon="search-x" title="No results" />
  ) : (
    <EmptyState icon="inbox" title={`No ${label.toLowerCase()} yet`} />
  );
}

/** A table that its headings sort, by mouse or keyboard. On a phone each row becomes a block. */
export function DataTable<Row>({ label, columns, rows, keyOf, sorting }: TableProps<Row>) {
  if (rows.length === 0) return <NoRows label={label} />;
  return (
    <table className="data-table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={column.label} column={column} now={sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, n) =>
              n === 0 ? (
                <th key={column.label} scope="row">
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.label} data-label={column.label} {...classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
