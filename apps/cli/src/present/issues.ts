import type { Issue } from '@svc/contracts';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './escape.ts';
import { count } from './fields.ts';

/** Maximum width of an aligned column; wider values do not shift the other rows. */
const MAX_COLUMN_WIDTH = 40;

const widest = (texts: readonly string[], max: number): number =>
  Math.max(0, ...texts.map((text) => text.length).filter((length) => length <= max));

/** Issues, one a line: level, code, path, message. */
export function issueLines(terminal: Terminal, issues: readonly Issue[]): string {
  const { red, yellow } = createColors(terminal.colour);
  const rows = issues.map((issue) => ({
    ...issue,
    code: escapeText(issue.code),
    path: escapeText(issue.path),
  }));
  const codeWidth = widest(
    rows.map(({ code }) => code),
    MAX_COLUMN_WIDTH,
  );
  const pathWidth = widest(
    rows.map(({ path }) => path),
    MAX_COLUMN_WIDTH,
  );
  return rows
    .map(({ level, code, path, message }) => {
      const paint = level === 'error' ? red : yellow;
      const columns = [paint(level.padEnd('warning'.length)), code.padEnd(codeWidth), path.padEnd(pathWidth)];
      return `  ${columns.join('  ')}  ${escapeText(message)}\n`;
    })
    .join('');
}

/** `2 errors, 1 warning`, or `no problems`. */
export function issueCount(issues: readonly Pick<Issue, 'level'>[]): string {
  const errors = issues.filter(({ level }) => level === 'error').length;
  const warnings = issues.length - errors;
  const parts = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  return parts.join(', ') || 'no problems';
}

/** A PATH and how many problems it has, as one line. */
export const verdictLine = (shown: string, issues: readonly Pick<Issue, 'level'>[]): string =>
  `${escapeText(shown)}: ${issueCount(issues)}\n`;
