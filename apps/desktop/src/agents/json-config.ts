import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  type SyntaxKind,
} from 'jsonc-parser';
import { ConfigError, changed, lineEndOf, type Path, requireOnly, type Table } from './text-edit.ts';

/** `SyntaxKind.CommaToken`: a const enum, which has no value at run time. */
const COMMA: SyntaxKind = 5;

/** Refuses duplicate keys: parsers differ about which one they use. */
function requireSingleKeys(node: Node): void {
  if (node.type !== 'object') return;
  const keys = (node.children ?? []).map((property) => property.children?.[0]?.value);
  if (new Set(keys).size < keys.length)
    throw new ConfigError('It contains a duplicate key. Remove one of them.');
}

/** Reads JSON as agents write it, with comments and trailing commas. */
function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (!root || errors.length > 0) throw new ConfigError('It is not valid JSON. Fix it first.');
  if (root.type !== 'object') throw new ConfigError('It is not a JSON object. Fix it first.');
  return root;
}

/** The value at a path; undefined if there is none. */
export function readJson(text: string, path: readonly string[]): unknown {
  if (text.trim() === '') return undefined;
  const node = findNodeAtLocation(rootOf(text), [...path]);
  return node && getNodeValue(node);
}

/** The indentation of one level. */
const stepOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

const printed = (value: unknown, step: string, indent: string, eol: string): string =>
  JSON.stringify(value, null, step).replaceAll('\n', `${eol}${indent}`);

/** The offset after the opening brace and a comment on its line. */
function afterBrace(text: string, { offset }: Node): number {
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)(?=\r?\n)/.exec(text.slice(offset + 1));
  return offset + 1 + (comment?.[0].length ?? 0);
}

/** Inserts a field at the start of an object: after the last field there may be commas and comments. */
function insertion(text: string, parent: Node, key: string, value: unknown): Edit {
  const eol = lineEndOf(text);
  const step = stepOf(text);
  const outer = indentAt(text, parent.offset);
  const [first] = parent.children ?? [];
  const inner = text.slice(parent.offset + 1, parent.offset + parent.length - 1);
  const field = (indent: string) => `${JSON.stringify(key)}: ${printed(value, step, indent, eol)}`;
  if (first && !text.slice(parent.offset, first.offset).includes('\n'))
    return { offset: first.offset, length: 0, content: `${field(outer)}, ` };
  const indent = first ? indentAt(text, first.offset) : outer + step;
  const content = `${eol}${indent}${field(indent)}${first ? ',' : ''}`;
  const offset = afterBrace(text, parent);
  // An object without fields and lines gets its closing brace on a line of its own.
  return { offset, length: 0, content: inner.includes('\n') ? content : `${content}${eol}${outer}` };
}

/** The value of a text, with ordinary prototypes: objects of the parser have none and would compare as different. */
const valueIn = (text: string): Table => JSON.parse(JSON.stringify(getNodeValue(rootOf(text))));

/**
 * Sets a value and leaves every other character as it is.
 * @throws ConfigError if the text is not JSON, or the path leads through a value that is not an object
 */
export function putJson(text: string, path: Path, value: Table): string {
  if (text.trim() === '') return `${JSON.stringify(changed({}, path, value), null, 2)}\n`;
  const root = rootOf(text);
  let parent = root;
  let depth = 0;
  for (; depth < path.length; depth += 1) {
    requireSingleKeys(parent);
    const next = findNodeAtLocation(parent, [path[depth] ?? '']);
    if (!next) break;
    if (depth < path.length - 1 && next.type !== 'object')
      throw new ConfigError(`${path.slice(0, depth + 1).join('.')} is not an object. Fix it first.`);
    parent = next;
  }
  const indent = indentAt(text, parent.offset);
  const edit: Edit =
    depth === path.length
      ? {
          offset: parent.offset,
          length: parent.length,
          content: printed(value, stepOf(text), indent, lineEndOf(text)),
        }
      : insertion(
          text,
          parent,
          path[depth] ?? '',
          path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
        );
  return requireOnly(valueIn, [text, applyEdits(text, [edit])], path, value);
}

/** The offset after the next comma; null if another token comes first. */
function afterComma(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() + 1 : null;
}

/**
 * Removes a value, with its comma and its lines.
 * @throws ConfigError if the text is not JSON
 */
export function removeJson(text: string, path: Path): string {
  const value = text.trim() === '' ? undefined : findNodeAtLocation(rootOf(text), [...path]);
  const property = value?.parent;
  const object = property?.parent;
  if (!property || !object) return text;
  requireSingleKeys(object);
  const before = /\r?\n[ \t]*$/.exec(text.slice(0, property.offset))?.[0].length ?? 0;
  const end = property.offset + property.length;
  const comma = afterComma(text, end);
  const edits: Edit[] = [
    { offset: property.offset - before, length: (comma ?? end) - property.offset + before, content: '' },
  ];
  const siblings = object.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const previousComma =
    previous && comma === null ? afterComma(text, previous.offset + previous.length) : null;
  if (previousComma !== null) edits.push({ offset: previousComma - 1, length: 1, content: '' });
  return requireOnly(valueIn, [text, applyEdits(text, edits)], path, undefined);
}
