import type { Issue } from '@svc/contracts';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './escape.ts';
import { count } from './fields.ts';

/** A path wider than this does not push the messages of its neighbours to the right. */
const WIDEST_PATH = 40;

const widest = (texts: readonly string[], most: number): number =>
  Math.max(0, ...texts.map((text) => text.length).filter((length) => length <= most));

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
    WIDEST_PATH,
  );
  const pathWidth = widest(
    rows.map(({ path }) => path),
    WIDEST_PATH,
  );
  return rows
    .map(({ level, code, path, message }) => {
      const paint = level === 'error' ? red : yellow;
      const columns = [paint(level.padEnd('warning'.length)), code.padEnd(codeWidth), path.padEnd(pathWidth)];
      return `  ${columns.join('  ')}  ${escapeText(message)}\n`;
    })
    .join('');
}

/** `2 errors, 1 warning`; `no problems` when there is nothing to say. */
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
