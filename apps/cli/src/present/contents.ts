import type { BundleEntries } from '@svc/bundle';
import { createColors } from 'picocolors';
import type { LeftOut } from '../io/opened-app.ts';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './escape.ts';
import { roughSize } from './fields.ts';

/** Maximum lines of a list of files; the others are counted. */
const MAX_LINES = 15;

/** Width of the bar. */
const BAR = 20;

/** From this share of the limit, the bar is yellow. */
const NEARLY_FULL = 0.8;

const MIB = 1024 * 1024;

/** The first lines, and the number of the others. */
function firstLines(lines: readonly string[]): string {
  const more = lines.length - MAX_LINES;
  const shown = more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more.toLocaleString('en')} more`] : lines;
  return shown.map((line) => `    ${line}\n`).join('');
}

/** The files of a bundle, the largest first, with their unpacked sizes. */
export function contentLines(terminal: Terminal, entries: BundleEntries): string {
  const { dim } = createColors(terminal.colour);
  const files = [...entries]
    .map(([name, bytes]) => ({ name, size: bytes.length }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    .map(({ name, size }) => ({ name: escapeText(name), size: roughSize(size) }));
  const width = Math.max(...files.slice(0, MAX_LINES).map(({ size }) => size.length));
  return `  files (unpacked size):\n${firstLines(files.map(({ name, size }) => `${dim(size.padStart(width))}  ${name}`))}`;
}

/** The files left out of a bundle, and why; empty when there are none. */
export function leftOutLines(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  return `  left out:\n${firstLines(leftOut.map(({ path, why }) => `${escapeText(path)}: ${escapeText(why)}`))}`;
}

/** The size of a bundle compared to the limit: `[████░░░░]  4.2 of 25 MiB`. */
export function sizeBar(terminal: Terminal, bytes: number, limit: number): string {
  const { green, yellow } = createColors(terminal.colour);
  const share = Math.min(1, bytes / limit);
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.'];
  // At least one box is full, and all boxes only at the limit.
  const boxes = share === 1 ? BAR : Math.min(BAR - 1, Math.max(1, Math.round(share * BAR)));
  const paint = share > NEARLY_FULL ? yellow : green;
  const bar = `${paint(full.repeat(boxes))}${empty.repeat(BAR - boxes)}`;
  const size = bytes < MIB / 10 ? 'under 0.1' : (bytes / MIB).toFixed(1);
  return `  [${bar}]  ${size} of ${limit / MIB} MiB\n`;
}
