import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import type { Fixed } from '../manifest-file/apply-fixes.ts';
import { fitText } from './cells.ts';
import { escapeText } from './text.ts';

/** Maximum columns of a value. */
const MAX_VALUE_WIDTH = 60;

const valueText = (value: unknown): string =>
  value === undefined ? 'nothing' : fitText(JSON.stringify(value), MAX_VALUE_WIDTH);

/** The applied fixes, one a line: code, JSON Pointer, value before and after. */
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
