import { isObject } from '@svc/contracts/is-object';
import { isMap, parseDocument, stringify } from 'yaml';
import { ConfigError, entryAt, lineEndOf, type Path, requireOnly, type Table } from './text-edit.ts';

/** The content of a file. Aliases are not resolved without a limit. */
function tableIn(text: string): Table {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw new ConfigError('It is not valid YAML. Fix it first.');
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (value === null || value === undefined) return {};
  if (!isObject(value)) throw new ConfigError('It is not a YAML mapping. Fix it first.');
  return value;
}

/** The entry of a server; undefined if there is none. */
export const readYaml = (text: string, path: Path): unknown => entryAt(tableIn(text), path);

/** Where an entry is: the lines of its key and value. */
function rangeOf(text: string, [group, name = '']: Path): [number, number] | null {
  const servers = parseDocument(text).get(group, true);
  if (!isMap(servers)) return null;
  const pair = servers.items.find(({ key }) => String(key) === name);
  const start = (pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0];
  const end = (pair?.value as { range?: [number, number, number] } | null | undefined)?.range?.[1];
  if (start === undefined || end === undefined) return null;
  const lineEnd = text.indexOf('\n', Math.max(end - 1, start));
  return [text.lastIndexOf('\n', start) + 1, lineEnd < 0 ? text.length : lineEnd + 1];
}

/** The end of the line of a group that is a block of lines; null if there is none. */
function afterHeader(text: string, group: string): number | null {
  let at = 0;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    at += line.length;
    const rest = line.startsWith(`${group}:`) ? line.slice(group.length + 1).trim() : null;
    if (rest === '' || rest?.startsWith('#')) return at;
  }
  return null;
}

/** The indentation of the first entry of a group; two spaces if it has none. */
function indentAfter(text: string, at: number): string {
  const first = text
    .slice(at)
    .split('\n')
    .find((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const indent = (first ?? '').length - (first ?? '').trimStart().length;
  return ' '.repeat(indent || 2);
}

/**
 * Sets the entry of a server and leaves every other line as it is.
 * @throws ConfigError if the text is not YAML, or the group is not a block of lines
 */
export function putYaml(text: string, path: Path, value: Table): string {
  const [group, name = ''] = path;
  const eol = lineEndOf(text);
  const removed = readYaml(text, path) === undefined ? text : removeYaml(text, path);
  const header = afterHeader(removed, group);
  const indent = header === null ? '  ' : indentAfter(removed, header);
  const block = stringify({ [name]: value }, { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => indent + line)
    .join(eol);
  const at = header ?? removed.length;
  const gap = at === 0 || removed.slice(0, at).endsWith('\n') ? '' : eol;
  const heading = header === null ? `${group}:${eol}` : '';
  const after = `${removed.slice(0, at)}${gap}${heading}${block}${eol}${removed.slice(at)}`;
  return requireOnly(tableIn, [text, after], path, value);
}

/**
 * Removes the entry of a server.
 * @throws ConfigError for the same reasons as `putYaml`
 */
export function removeYaml(text: string, path: Path): string {
  if (readYaml(text, path) === undefined) return text;
  const range = rangeOf(text, path);
  if (!range)
    throw new ConfigError('It is written in a way that cannot be changed safely. Change it by hand.');
  const after = text.slice(0, range[0]) + text.slice(range[1]);
  return requireOnly(tableIn, [text, after], path, undefined);
}
