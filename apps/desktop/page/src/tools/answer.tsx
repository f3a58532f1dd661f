import { isObject } from '@svc/contracts/is-object';
import { visible } from '@svc/text';
import { Button, count } from '@svc/ui';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { LongText } from '../parts/long-text.tsx';
import { shortJson } from '../parts/short-json.ts';
import { Tree } from '../parts/tree.tsx';
import { isShallow, jsonIn, type Table, tableOf } from './table-of.ts';

const rowsText = (name: string, n: number) => `${name === '' ? 'Table' : name}, ${count(n, 'row')}`;

/** Rows shown at first and added by each click, and the longest text of a cell in characters. */
const ROWS = 100;
const MAX_CELL = 500;
/** Most tables of one result. Further ones are in the tree. */
const MAX_TABLES = 20;

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visible(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
}

function TableView({ name, table: { columns, rows } }: { name: string; table: Table }) {
  const [shown, setShown] = useState(ROWS);
  const label = rowsText(cellOf(name), rows.length);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="table-scroll" tabIndex={0} aria-label={label}>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {cellOf(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and do not move
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column} className={typeof row[column] === 'number' ? 'number' : undefined}>
                    {/* Own properties only: a column may be named `constructor`. */}
                    {cellOf(Object.hasOwn(row, column) ? row[column] : undefined)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown ? (
        <Button
          label={`Show more rows (${rows.length - shown} left)`}
          onClick={() => setShown(shown + ROWS)}
        />
      ) : null}
    </>
  );
}

/** Lists of flat objects as tables, everything else as a tree. */
function Parts({ value }: { value: object }) {
  const whole = tableOf(value);
  if (whole) return <TableView name="" table={whole} />;
  if (!isObject(value)) return <Tree value={value} />;
  const entries = Object.entries(value);
  const tables = entries
    .flatMap(([name, inner]) => {
      const table = tableOf(inner);
      return table ? [{ name, table }] : [];
    })
    .slice(0, MAX_TABLES);
  const rest = entries.filter(([name]) => !tables.some((table) => table.name === name));
  return (
    <>
      {rest.length > 0 || tables.length === 0 ? <Tree value={Object.fromEntries(rest)} /> : null}
      {tables.map(({ name, table }) => (
        <TableView key={name} name={name} table={table} />
      ))}
    </>
  );
}

/** Structured content of a tool: as tables and trees, or as JSON. */
function JsonView({ value }: { value: object }) {
  const [asJson, setAsJson] = useState(false);
  return (
    <div className="data">
      {asJson ? <LongText text={shortJson(value)} /> : <Parts value={value} />}
      <Button
        label={asJson ? 'Show as a table or tree' : 'Show as JSON'}
        className="small"
        onClick={() => setAsJson(!asJson)}
      />
    </div>
  );
}

/** A part of a result: text, or a file as rendered by the caller. */
export type AnswerPart = { type: 'text'; text: string } | { type: 'file'; id: string; shown: ReactNode };

function TextPart({ text, isFolded }: { text: string; isFolded: boolean }) {
  const data = jsonIn(text);
  return data ? <JsonView value={data} /> : <LongText text={text} isFolded={isFolded} />;
}

/**
 * The result of a tool, for the model or the user. It is shown as text and data, and files from bytes on the desktop: no markup of an app
 * is rendered, and nothing is loaded from other hosts.
 */
export function Answer({
  parts,
  structured,
  isError,
  isFolded = false,
}: {
  parts: readonly AnswerPart[];
  structured: object | null;
  isError: boolean;
  /** Cuts long texts after a few lines. */
  isFolded?: boolean;
}) {
  const data = isShallow(structured) ? structured : null;
  const json = useMemo(() => JSON.stringify(data), [data]);
  // Servers repeat structured content as text, for clients that do not support it.
  const isRepeated = (part: AnswerPart): boolean =>
    part.type === 'text' && data !== null && JSON.stringify(jsonIn(part.text)) === json;
  const shown = parts.filter((part) => !isRepeated(part));
  return (
    <>
      {isError ? <p className="fault">The tool reported an error.</p> : null}
      {shown.map((part, i) =>
        part.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an answer have an order, and nothing else
          <TextPart key={i} text={part.text} isFolded={isFolded} />
        ) : (
          <Fragment key={part.id}>{part.shown}</Fragment>
        ),
      )}
      {data ? <JsonView value={data} /> : null}
      {structured !== null && data === null ? (
        <p className="mild">The data is nested too deeply to show.</p>
      ) : null}
      {shown.length === 0 && !structured ? <p className="soft">The tool returned nothing.</p> : null}
    </>
  );
}
