import type { Location } from '@svc/validator';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { type Cell, cellOf, fitText } from './cells.ts';

/** Lines shown above and below the one that is meant. */
const CONTEXT = 2;

/** Fewest columns for the text of a line: a narrower terminal breaks lines, but still shows something. */
const MIN_COLUMNS = 20;

type Cells = readonly Cell[];

const widthOf = (cells: Cells): number => cells.reduce((sum, { width }) => sum + width, 0);

const cellsOf = (text: string): Cell[] => Array.from(text, cellOf);

/** As many cells from the end as fit into `columns`. */
function takeLast(cells: Cells, columns: number): Cells {
  let from = cells.length;
  for (let left = columns; from > 0; from -= 1) {
    left -= cells[from - 1]?.width ?? 0;
    if (left < 0) break;
  }
  return cells.slice(from);
}

/** As many cells from the start as fit into `columns`. */
function takeFirst(cells: Cells, columns: number): Cells {
  let left = columns;
  const end = cells.findIndex(({ width }) => {
    left -= width;
    return left < 0;
  });
  return end < 0 ? cells : cells.slice(0, end);
}

const join = (cells: Cells): string => cells.map(({ shown }) => shown).join('');

/** A line with the meant value in view, and where under it the mark goes, in columns. */
type Marked = { shown: string; indent: number; length: number };

/**
 * The piece of a line around the value that is meant. A line may be megabytes long, so no more of it is looked at than
 * could be shown.
 */
function around(line: string, { column, length: wanted = 1 }: Location, columns: number): Marked {
  const start = Math.min(column - 1, line.length);
  const end = Math.min(start + wanted, line.length);
  const farLeft = Math.max(0, start - columns);
  const farRight = end + columns;
  const before = cellsOf(line.slice(farLeft, start));
  const value = cellsOf(line.slice(start, Math.min(end, start + columns)));
  const after = cellsOf(line.slice(end, farRight));
  const isWhole = farLeft === 0 && farRight >= line.length && end - start <= columns;
  // A value without width, as at the end of a line, still needs a column for its mark.
  const length = widthOf(value) || 1;
  if (isWhole && widthOf(before) + length + widthOf(after) <= columns) {
    return { shown: join([...before, ...value, ...after]), indent: widthOf(before), length };
  }
  return cutOut(before, value, after, columns);
}

/** A third of the room goes to what stands before the value; more when that and the value fit, or little follows. */
function cutOut(before: Cells, value: Cells, after: Cells, columns: number): Marked {
  const room = columns - 2;
  const fits = widthOf(before) + widthOf(value) <= room;
  const spare = room - widthOf(value) - widthOf(after);
  const left = fits ? before : takeLast(before, Math.max(Math.floor(room / 3), spare));
  const middle = takeFirst(value, room - widthOf(left));
  const right = middle.length < value.length ? [] : takeFirst(after, room - widthOf([...left, ...middle]));
  const opening = left.length < before.length ? '…' : '';
  const closing = middle.length < value.length || right.length < after.length ? '…' : '';
  return {
    shown: `${opening}${join([...left, ...middle, ...right])}${closing}`,
    indent: opening.length + widthOf(left),
    length: widthOf(middle) || 1,
  };
}

/**
 * Shows a place in a text as compilers do: its line with two lines around it, numbered, and a mark under the value. Of a
 * value that goes over many lines the first is marked; of a line that is too long the piece around the value is shown.
 */
export function frame(
  terminal: Terminal,
  lines: readonly string[],
  place: Location,
  level: 'error' | 'warning',
): string {
  const { dim, red, yellow, bold } = createColors(terminal.colour);
  const paint = level === 'error' ? red : yellow;
  const first = Math.max(1, place.line - CONTEXT);
  const last = Math.min(lines.length, place.line + CONTEXT);
  const digits = String(last).length;
  const columns = Math.max(MIN_COLUMNS, terminal.columns - digits - '  > 1 | '.length);
  const rows: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const line = lines[number - 1] ?? '';
    const gutter = String(number).padStart(digits);
    if (number !== place.line) {
      // The empty line after the last line end is none.
      if (number === lines.length && line === '') continue;
      rows.push(`    ${dim(`${gutter} |`)} ${fitText(line, columns)}`);
      continue;
    }
    const { shown, indent, length } = around(line, place, columns);
    rows.push(`  ${bold(paint('>'))} ${dim(`${gutter} |`)} ${shown}`);
    rows.push(
      `    ${dim(`${' '.repeat(digits)} |`)} ${' '.repeat(indent)}${bold(paint('^'.repeat(length)))}`,
    );
  }
  return rows.map((row) => `${row.trimEnd()}\n`).join('');
}
