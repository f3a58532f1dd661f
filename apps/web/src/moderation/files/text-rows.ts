import { visible } from '@svc/text';
import { type ChangeObject, diffArrays } from 'diff';

/** A line of a diff, with line numbers from 1. */
type LineChange = Row & { readonly sign: ' ' | '+' | '-' };

/**
 * Maximum number of changed lines for which the shortest diff is computed: the cost grows quadratically. Beyond it, all old
 * lines are shown as removed and all new ones as added, which hides nothing.
 */
const MAX_CHANGES = 1_500;

type Hunk = Pick<ChangeObject<readonly string[]>, 'added' | 'removed' | 'value'>;

const signOf = ({ added, removed }: Hunk): LineChange['sign'] => (added ? '+' : removed ? '-' : ' ');

/**
 * Compares two texts line by line. The result contains every line of both texts.
 * @param before the lines of the older text; when empty, all lines are added
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const hunks: Hunk[] = diffArrays([...before], [...after], { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  let [i, j] = [0, 0];
  return hunks.flatMap((hunk) => {
    const sign = signOf(hunk);
    return hunk.value.map((text) => ({
      sign,
      before: sign === '+' ? null : ++i,
      after: sign === '-' ? null : ++j,
      text,
    }));
  });
}

/** One row of a file view: a line, a piece of a long line, or a gap between changes. */
export type Row = {
  readonly sign: ' ' | '+' | '-' | 'gap';
  /** Line number before and after; null on the side without the line, and in later rows of a long line. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
};

/** Characters in a row. A minified file is one line and must be readable to its end. */
const ROW_LENGTH = 400;
const MAX_ROWS = 100_000;
/** Equal lines shown around a change. */
const AROUND = 3;

/** Splits a text into lines, with any kind of line ending. */
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

/** For each line of a diff, whether it is a change or near one. */
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
 * The rows of a file view.
 * @param whole whether to include unchanged lines far from any change
 * @returns `cut` when there are more rows than the maximum
 */
export function textRows(changes: readonly LineChange[], whole: boolean): { rows: Row[]; cut: boolean } {
  const rows: Row[] = [];
  for (const row of rowsOf(changes, whole)) {
    if (rows.length === MAX_ROWS) return { rows, cut: true };
    rows.push(row);
  }
  return { rows, cut: false };
}
