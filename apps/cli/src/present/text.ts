import type { Issue } from '@svc/contracts';
import { escapeLines as escapeAll, escapeJson, escapeText as escapeOne } from '@svc/text/escape';
import { count, sizeText } from '@svc/text/quantity';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';

/** Maximum length of an untrusted text, in UTF-16 code units. */
const MAX_SHOWN = 4_000;

export const escapeText = (text: string): string => escapeOne(text, 'terminal', { most: MAX_SHOWN });

/** Escapes untrusted text of several lines. Each line is indented, so that none looks like output of svc. */
export const escapeLines = (text: string, indent: string): string =>
  escapeAll(text, 'terminal', indent, { most: MAX_SHOWN });

/** A value as one line of JSON that is safe to print to a terminal. */
export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value))}\n`;

/** A label and its value; a field whose value is undefined or empty is left out. */
export type Field = readonly [label: string, value: string | readonly string[] | undefined];

/** Shown for an empty list. */
const NONE = 'none';

const textOf = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(', ') || NONE;

/** Fields, one a line, with the escaped values in one column. Lists are on one line. */
export function fieldLines(terminal: Terminal, fields: readonly Field[]): string {
  const { dim } = createColors(terminal.colour);
  const shown = fields.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value }],
  );
  const width = Math.max(...shown.map(({ label }) => label.length));
  return shown
    .map(({ label, value }) => `  ${dim(label.padEnd(width))}  ${escapeText(textOf(value))}\n`)
    .join('');
}

/** A headline such as `published  com.example.notes 1.0.0`, its first words in green, yellow or red. */
export function headline(
  terminal: Terminal,
  mood: 'good' | 'waiting' | 'bad',
  verdict: string,
  subject: string,
): string {
  const { green, yellow, red, bold } = createColors(terminal.colour);
  const paint = { good: green, waiting: yellow, bad: red }[mood];
  return `${bold(paint(escapeText(verdict)))}  ${escapeText(subject)}\n`;
}

/** A size, with the exact number of bytes too. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 ? sizeText(bytes) : `${sizeText(bytes)} (${count(bytes, 'byte')})`;

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
