import { visible } from '../visible.ts';
import type { LineChange } from './diff-lines.ts';

/** One row of a view of a file: a line, a piece of a long one, or a gap between the changes of a difference. */
export type Row = {
  readonly sign: ' ' | '+' | '-' | 'gap';
  /** Numbers of the line before and after; null where it is not, and in the second row of a long line. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/** Characters of a row. A minified file is one line, and must be readable to its end all the same. */
const ROW_LENGTH = 400;
/** Rows shown at most: more than anybody reads. */
const MAX_ROWS = 100_000;
/** Equal lines shown around a change. */
const AROUND = 3;

/** The lines of a text, however they end. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

function* piecesOf(text: string): Generator<string> {
  const shown = visible(text);
  yield shown.slice(0, ROW_LENGTH);
  for (let at = ROW_LENGTH; at < shown.length; at += ROW_LENGTH) yield shown.slice(at, at + ROW_LENGTH);
}

function* rowsOfLine({ sign, before, after, text }: LineChange): Generator<Row> {
  let isFirst = true;
  for (const piece of piecesOf(text)) {
    yield isFirst ? { sign, before, after, text: piece } : { sign, before: null, after: null, text: piece };
    isFirst = false;
  }
}

/** Which lines of a difference are changes, or near one. */
function nearChanges(changes: readonly LineChange[]): boolean[] {
  const near = changes.map(() => false);
  for (const [i, { sign }] of changes.entries()) {
    if (sign !== ' ') near.fill(true, Math.max(0, i - AROUND), i + AROUND + 1);
  }
  return near;
}

function* rowsOf(changes: readonly LineChange[], whole: boolean): Generator<Row> {
  const near = whole ? null : nearChanges(changes);
  let skipped = 0;
  for (const [i, change] of changes.entries()) {
    if (near?.[i] === false) {
      skipped += 1;
      continue;
    }
    if (skipped > 0) yield { sign: 'gap', before: null, after: null, text: String(skipped) };
    skipped = 0;
    yield* rowsOfLine(change);
  }
  if (skipped > 0) yield { sign: 'gap', before: null, after: null, text: String(skipped) };
}

/**
 * The rows to show of a file.
 * @param whole whether equal lines that are far from every change are shown too
 * @returns `cut` when there are more rows than are shown
 */
export function textRows(changes: readonly LineChange[], whole: boolean): { rows: Row[]; cut: boolean } {
  const rows: Row[] = [];
  for (const row of rowsOf(changes, whole)) {
    if (rows.length === MAX_ROWS) return { rows, cut: true };
    rows.push(row);
  }
  return { rows, cut: false };
}
