import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { isCode, type Location } from '@svc/validator';
import { createColors } from 'picocolors';
import type { CheckedApp } from '../check-app.ts';
import type { Terminal } from '../io/terminal.ts';
import { isAboutManifest, type ManifestSource, readSource } from '../manifest-file/source.ts';
import { type Cell, cellOf, fitText } from './cells.ts';
import { escapeText, verdictLine } from './text.ts';

/** Lines shown above and below the marked line. */
const CONTEXT = 2;

/** Minimum columns of source text; a narrower terminal wraps the lines. */
const MIN_COLUMNS = 20;

type Cells = readonly Cell[];

const widthOf = (cells: Cells): number => cells.reduce((sum, { width }) => sum + width, 0);

const cellsOf = (text: string): Cell[] => Array.from(text, cellOf);

function takeLast(cells: Cells, columns: number): Cells {
  let from = cells.length;
  for (let remaining = columns; from > 0; from -= 1) {
    remaining -= cells[from - 1]?.width ?? 0;
    if (remaining < 0) break;
  }
  return cells.slice(from);
}

function takeFirst(cells: Cells, columns: number): Cells {
  let remaining = columns;
  const end = cells.findIndex(({ width }) => {
    remaining -= width;
    return remaining < 0;
  });
  return end < 0 ? cells : cells.slice(0, end);
}

const join = (cells: Cells): string => cells.map(({ shown }) => shown).join('');

/** A line cut to show the marked value, and the position of the mark under it, in columns. */
type Marked = { shown: string; indent: number; length: number };

/**
 * Cuts a line around the marked value. A line may be megabytes long, so only the part that could be shown is processed.
 */
function around(line: string, { column, length: valueLength = 1 }: Location, columns: number): Marked {
  const start = Math.min(column - 1, line.length);
  const end = Math.min(start + valueLength, line.length);
  const farLeft = Math.max(0, start - columns);
  const farRight = end + columns;
  const before = cellsOf(line.slice(farLeft, start));
  const value = cellsOf(line.slice(start, Math.min(end, start + columns)));
  const after = cellsOf(line.slice(end, farRight));
  const isWhole = farLeft === 0 && farRight >= line.length && end - start <= columns;
  // An empty value, as at the end of a line, still needs one column for its mark.
  const length = widthOf(value) || 1;
  if (isWhole && widthOf(before) + length + widthOf(after) <= columns) {
    return { shown: join([...before, ...value, ...after]), indent: widthOf(before), length };
  }
  return cutOut(before, value, after, columns);
}

/** Gives a third of the width to the text before the value; more when there is room. */
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
 * Shows a location in a text as compilers do: its line with two lines of context, numbered, and a mark under the value. For a value
 * of several lines the first line is marked; a long line is cut around the value.
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
      // The empty text after the last line break is not a line.
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

/** Maximum findings shown per code; the others are counted. */
const MAX_OF_A_CODE = 10;

/** How a PATH is displayed. */
type Names = {
  /** The PATH as the user wrote it. */
  shown: string;
  /** Whether PATH is the `plugin.json` itself. */
  isManifest: boolean;
};

/** The file of a finding; the PATH itself for a finding about the whole bundle. */
function fileOf({ shown, isManifest }: Names, issue: Issue): string {
  const entry = isAboutManifest(issue) ? MANIFEST_FILE : issue.path;
  if (isManifest || entry === '') return shown;
  return `${shown.replace(/(?<![/\\])[/\\]+$/, '')}/${entry}`;
}

/** One finding: message, location, and the source lines around it. */
function findingText(
  terminal: Terminal,
  file: string,
  issue: Issue,
  lines: readonly string[],
  place: Location | undefined,
): string {
  const { red, yellow, bold, dim, cyan } = createColors(terminal.colour);
  const paint = issue.level === 'error' ? red : yellow;
  const head = `${bold(paint(issue.level))} ${bold(escapeText(issue.code))}: ${escapeText(issue.message)}`;
  const at = place === undefined ? '' : `:${place.line}:${place.column}`;
  const pointer = issue.path.startsWith('/') ? `  ${dim(escapeText(issue.path))}` : '';
  const where = `  ${dim('-->')} ${cyan(`${escapeText(file)}${at}`)}${pointer}`;
  const shown = place === undefined ? '' : frame(terminal, lines, place, issue.level);
  return `${head}\n${where}\n${shown}`;
}

function countCodes(issues: readonly Issue[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of issues) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

function allFindings(terminal: Terminal, names: Names, { issues, source }: CheckedApp): string[] {
  const totals = countCodes(issues);
  const seen = new Map<string, number>();
  let manifest: ManifestSource | undefined;
  return issues.flatMap((issue) => {
    const number = (seen.get(issue.code) ?? 0) + 1;
    seen.set(issue.code, number);
    if (number > MAX_OF_A_CODE + 1) return [];
    const more = (totals.get(issue.code) ?? 0) - MAX_OF_A_CODE;
    if (number > MAX_OF_A_CODE) return [`and ${more} more ${escapeText(issue.code)}\n`];
    manifest ??= source && readSource(source);
    const place = manifest?.placeOf(issue);
    return [findingText(terminal, fileOf(names, issue), issue, manifest?.lines ?? [], place)];
  });
}

/** The hint to `svc explain`, when a code has a page. */
function hint(terminal: Terminal, issues: readonly Issue[]): string {
  const { dim } = createColors(terminal.colour);
  const codes = [...new Set(issues.map(({ code }) => code))].filter(isCode);
  if (codes[0] === undefined) return '';
  return `${dim(`To learn more, run: svc explain ${codes.length > 1 ? 'CODE' : codes[0]}`)}\n`;
}

/**
 * The findings for a PATH as text: each finding with its location, in the order of the checks, then a hint, then the totals. At most
 * ten findings per code are shown.
 */
export function findingsText(terminal: Terminal, names: Names, checked: CheckedApp): string {
  const { issues } = checked;
  const findings = allFindings(terminal, names, checked).map((text) => `${text}\n`);
  return `${findings.join('')}${hint(terminal, issues)}${verdictLine(names.shown, issues)}`;
}
