import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import type { Fixed } from '../manifest-file/apply-fixes.ts';
import { fitText } from './cells.ts';
import { escapeText } from './escape.ts';

/** Columns that a value may take before it is cut. */
const WIDEST_VALUE = 60;

const valueText = (value: unknown): string =>
  value === undefined ? 'nothing' : fitText(JSON.stringify(value), WIDEST_VALUE);

/** What was fixed, one a line: code, place, what stood there and what stands there now. */
export function fixedLines(terminal: Terminal, fixed: readonly Fixed[]): string {
  const { green, bold } = createColors(terminal.colour);
  const arrow = terminal.unicode ? '→' : '->';
  return fixed
    .map(({ code, path, before, after }) => {
      const change = `${valueText(before)} ${arrow} ${valueText(after)}`;
      return `${bold(green('fixed'))}  ${escapeText(code)}  ${escapeText(path)}  ${change}\n`;
    })
    .join('');
}
