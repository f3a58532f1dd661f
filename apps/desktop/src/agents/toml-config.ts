import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { ConfigError, lineEndOf } from './text-edit.ts';

type Table = Record<string, unknown>;

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsedOrNull(text: string): Table | null {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' }) as Table;
  } catch {
    return null;
  }
}

function tableIn(text: string): Table {
  const table = parsedOrNull(text);
  if (!table) throw new ConfigError('It is not valid TOML. Fix it first.');
  return table;
}

/** The table of a server; undefined for none. */
export function readToml(text: string, [group, name]: readonly [string, string]): unknown {
  const servers = tableIn(text)[group];
  return isTable(servers) ? servers[name] : undefined;
}

/** A header of any table, and one of ours or a table within it. */
const HEADER = /^[ \t]*\[/;
const headerOf = (group: string, name: string): RegExp =>
  new RegExp(`^[ \\t]*\\[[ \\t]*${group}[ \\t]*\\.[ \\t]*(?:${name}|"${name}"|'${name}')[ \\t]*[.\\]]`);

/** Lines from the header of our table to what stands before the next one; comments above that are the next one's. */
function linesOf(lines: readonly string[], header: RegExp): [number, number] | null {
  const start = lines.findIndex((line) => header.test(line));
  if (start < 0) return null;
  let end = start + 1;
  while (end < lines.length && (!HEADER.test(lines[end] ?? '') || header.test(lines[end] ?? ''))) end += 1;
  while (end > start + 1 && /^[ \t]*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? '')) end -= 1;
  return [start, end];
}

/** The same lines with long texts blanked out, so that nothing in one passes for a header. */
const withoutLongTexts = (text: string): string[] =>
  withEnds(text.replaceAll(/("""|''')[\s\S]*?\1/g, (long) => long.replaceAll(/[^\n]/g, ' ')));

const withEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Sees to it that a change did what it should, and nothing else: lines of a long text may look like headers. */
function requireOnly(
  before: string,
  after: string,
  [group, name]: readonly [string, string],
  put: unknown,
): string {
  const was = tableIn(before);
  const { [name]: _ours, ...others } = isTable(was[group]) ? was[group] : {};
  const servers = put === undefined ? others : { ...others, [name]: put };
  const { [group]: _group, ...rest } = was;
  const now = parsedOrNull(after) ?? {};
  const { [group]: nowServers = {}, ...nowRest } = now;
  const same = isDeepStrictEqual([plain(nowRest), plain(nowServers)], [plain(rest), plain(servers)]);
  if (same) return after;
  throw new ConfigError('It is written in a way that cannot be changed safely. Change it by hand.');
}

/** Values as JSON has them: tables of the parser have no prototype. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? `${one}n` : one)));

/**
 * Sets the table of a server and leaves every other line as it is.
 * @throws ConfigError when the text is no TOML, or writes that table in another way than under a header of its own
 */
export function putToml(text: string, path: readonly [string, string], value: Table): string {
  const [group, name] = path;
  const eol = lineEndOf(text);
  const table = stringify({ [group]: { [name]: value } })
    .trim()
    .replaceAll('\n', eol);
  const lines = withEnds(text);
  const place =
    readToml(text, path) === undefined ? null : linesOf(withoutLongTexts(text), headerOf(group, name));
  if (place) {
    const after = [...lines.slice(0, place[0]), `${table}${eol}`, ...lines.slice(place[1])].join('');
    return requireOnly(text, after, path, value);
  }
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return requireOnly(text, `${text}${gap}${table}${eol}`, path, value);
}

/**
 * Takes the table of a server out, with the empty line above it.
 * @throws ConfigError as `putToml` does
 */
export function removeToml(text: string, path: readonly [string, string]): string {
  if (readToml(text, path) === undefined) return text;
  const header = headerOf(...path);
  let lines = withEnds(text);
  const find = () => linesOf(withoutLongTexts(lines.join('')), header);
  for (let place = find(); place; place = find()) {
    const isSpaced = place[0] > 0 && (lines[place[0] - 1] ?? '').trim() === '';
    lines = [...lines.slice(0, place[0] - (isSpaced ? 1 : 0)), ...lines.slice(place[1])];
  }
  return requireOnly(text, lines.join(''), path, undefined);
}
