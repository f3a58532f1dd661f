import { type Explanation, explain as explanationOf, isCode, nearest, RULES } from '@svc/validator';
import { createColors } from 'picocolors';
import { defineCommand, JSON_OPTION } from '../command-record.ts';
import { usageError } from '../failure.ts';
import type { Terminal } from '../io/terminal.ts';
import { fitText } from '../present/cells.ts';
import { jsonLine } from '../present/text.ts';

type ExplainOptions = { json?: boolean };

/** Minimum width of text in columns; a narrower terminal wraps the lines. */
const MIN_COLUMNS = 20;

/** Wraps a text at word boundaries, and indents it. */
function wrapped(text: string, columns: number, indent = '  '): string {
  const width = Math.max(MIN_COLUMNS, columns - indent.length - 1);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Maximum lines of an example; the middle of a longer one is left out. */
const MAX_LINES = 24;

function firstAndLast(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_LINES;
  if (more <= 0) return lines;
  return [...lines.slice(0, MAX_LINES / 2), `… ${more} more lines …`, ...lines.slice(-MAX_LINES / 2)];
}

function exampleText({ columns }: Terminal, parts: Explanation['broken']): string {
  const width = Math.max(MIN_COLUMNS, columns - 5);
  return parts
    .map(({ label, text }) => {
      const lines = text === undefined ? [] : firstAndLast(text.split('\n'));
      const shown = lines.map((line) => `    ${fitText(line, width)}\n`).join('');
      return `  ${fitText(label.replaceAll('`', ''), width)}${lines.length > 0 ? ':' : ''}\n${shown}`;
    })
    .join('');
}

function pageText(terminal: Terminal, page: Explanation): string {
  const { bold, red, yellow, green } = createColors(terminal.colour);
  const paint = page.level === 'warning' ? yellow : red;
  const mode = page.mode === 'dev' ? ', checked with --mode dev' : '';
  return [
    `${bold(paint(page.code))}\n\n`,
    wrapped(page.levelText, terminal.columns),
    '\n',
    wrapped(page.why, terminal.columns),
    `\n${bold(red('incorrect'))}${mode}\n`,
    exampleText(terminal, page.broken),
    `\n${bold('message')}, at ${page.path || 'the top level'}\n`,
    wrapped(page.message, terminal.columns),
    `\n${bold(green('correct'))}\n`,
    exampleText(terminal, page.fixed),
  ].join('');
}

const LEVELS: Readonly<Record<Explanation['level'], string>> = {
  error: 'error',
  warning: 'warning',
  'store-error': 'error (dev: warning)',
};

/** Every code, grouped by the part before its first dot. */
function listText(terminal: Terminal): string {
  const { bold, dim } = createColors(terminal.colour);
  const codes = RULES.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  const width = Math.max(...codes.map(({ code }) => code.length));
  const families = Map.groupBy(codes, ({ code }) => code.split('.')[0] ?? code);
  const texts = [...families].map(([family, members]) => {
    const lines = members.map(({ code, level }) => `  ${code.padEnd(width)}  ${dim(LEVELS[level])}\n`);
    return `${bold(family)}\n${lines.join('')}`;
  });
  return `${texts.join('\n')}\n${codes.length} codes; svc explain CODE explains one.\n`;
}

const MAX_SUGGESTED = 5;

/** Suggestions for an unknown code: the codes with that prefix, or else the most similar one. */
function suggestions(written: string): string[] {
  const codes = RULES.map(({ code }) => code);
  const longer = written === '' ? [] : codes.filter((code) => code.startsWith(written.toLowerCase()));
  return longer.length > 0 ? longer.slice(0, MAX_SUGGESTED) : [nearest(written, codes) ?? []].flat();
}

/**
 * `svc explain`: explains a code, or lists all codes.
 * @throws CommandError with exit code 2 for an unknown code
 */
export const command = defineCommand<[string | undefined], ExplainOptions>({
  arguments: [{ name: '[code]', help: 'a code, such as version.format (default: a list of all)' }],
  options: [JSON_OPTION],
  examples: ['explain', 'explain version.format'],
  async run({ terminal }, [code], { json }) {
    if (code === undefined) {
      terminal.out(json ? jsonLine(RULES.map(({ code, level }) => ({ code, level }))) : listText(terminal));
      return 0;
    }
    if (!isCode(code)) {
      const near = suggestions(code);
      const question =
        near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ' svc explain lists all codes.';
      throw usageError(`Unknown code: ${fitText(code, MIN_COLUMNS * 2)}.${question}`);
    }
    const page = explanationOf(code);
    terminal.out(json ? jsonLine(page) : pageText(terminal, page));
    return 0;
  },
});
