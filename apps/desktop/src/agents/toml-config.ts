import { isObject } from '@svc/contracts/is-object';
import { parse, stringify } from 'smol-toml';
import { ConfigError, lineEndOf, requireOnly, type Table } from './text-edit.ts';

function tableIn(text: string): Table {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch {
    throw new ConfigError('It is not valid TOML. Fix it first.');
  }
}

/** The table of a server; undefined if there is none. */
export function readToml(text: string, [group, name]: readonly [string, string]): unknown {
  const servers = tableIn(text)[group];
  return isObject(servers) ? servers[name] : undefined;
}

/** The header of any table, and that of our table or its subtables. */
const HEADER = /^[ \t]*\[/;
const headerOf = (group: string, name: string): RegExp =>
  new RegExp(`^[ \\t]*\\[[ \\t]*${group}[ \\t]*\\.[ \\t]*(?:${name}|"${name}"|'${name}')[ \\t]*[.\\]]`);

/** The line range of our table. Comments directly above the next table belong to that one. */
function linesOf(lines: readonly string[], header: RegExp): [number, number] | null {
  const start = lines.findIndex((line) => header.test(line));
  if (start < 0) return null;
  let end = start + 1;
  while (end < lines.length && (!HEADER.test(lines[end] ?? '') || header.test(lines[end] ?? ''))) end += 1;
  while (end > start + 1 && /^[ \t]*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? '')) end -= 1;
  return [start, end];
}

/** The lines with multi-line strings blanked out, because they may contain lines that look like headers. */
const withoutMultilineStrings = (text: string): string[] =>
  linesWithEnds(text.replaceAll(/("""|''')[\s\S]*?\1/g, (long) => long.replaceAll(/[^\n]/g, ' ')));

const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The content with ordinary prototypes: tables of the parser have none. */
const plainTableIn = (text: string): Table =>
  JSON.parse(JSON.stringify(tableIn(text), (_key, item) => (typeof item === 'bigint' ? `${item}n` : item)));

/**
 * Sets the table of a server and leaves every other line as it is.
 * @throws ConfigError if the text is not TOML, or if the table is not under its own header
 */
export function putToml(text: string, path: readonly [string, string], value: Table): string {
  const [group, name] = path;
  const eol = lineEndOf(text);
  const table = stringify({ [group]: { [name]: value } })
    .trim()
    .replaceAll('\n', eol);
  const lines = linesWithEnds(text);
  const range =
    readToml(text, path) === undefined ? null : linesOf(withoutMultilineStrings(text), headerOf(group, name));
  if (range) {
    const after = [...lines.slice(0, range[0]), `${table}${eol}`, ...lines.slice(range[1])].join('');
    return requireOnly(plainTableIn, [text, after], path, value);
  }
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return requireOnly(plainTableIn, [text, `${text}${gap}${table}${eol}`], path, value);
}

/**
 * Removes the table of a server, with the empty line above it.
 * @throws ConfigError for the same reasons as `putToml`
 */
export function removeToml(text: string, path: readonly [string, string]): string {
  if (readToml(text, path) === undefined) return text;
  const header = headerOf(...path);
  let lines = linesWithEnds(text);
  const find = () => linesOf(withoutMultilineStrings(lines.join('')), header);
  for (let range = find(); range; range = find()) {
    const isSpaced = range[0] > 0 && (lines[range[0] - 1] ?? '').trim() === '';
    lines = [...lines.slice(0, range[0] - (isSpaced ? 1 : 0)), ...lines.slice(range[1])];
  }
  return requireOnly(plainTableIn, [text, lines.join('')], path, undefined);
}
