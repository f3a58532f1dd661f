import { applyEdits, type Edit, findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';
import type { Change } from './json-pointer.ts';

/** The steps as a path of `jsonc-parser`: list indices as numbers. */
function pathOf(root: Node, steps: readonly string[]): JSONPath {
  const path: JSONPath = [];
  for (const step of steps) {
    const parent = findNodeAtLocation(root, path);
    path.push(parent?.type === 'array' ? Number(step) : step);
  }
  return path;
}

const endOf = ({ offset, length }: Node): number => offset + length;

/** JSON on one line, with spaces: `["a", "b"]`. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Inserts a field after the last one, with the same white space before it. */
function insertion(text: string, parent: Node, key: string, value: unknown): Edit {
  const field = `${JSON.stringify(key)}: ${inline(value)}`;
  const last = parent.children?.at(-1);
  if (last === undefined) return { offset: parent.offset + 1, length: 0, content: field };
  const [space = ''] = /(?<![ \t\r\n])[ \t\r\n]*$/.exec(text.slice(parent.offset + 1, last.offset)) ?? [];
  return { offset: endOf(last), length: 0, content: `,${space}${field}` };
}

/** Removes an item with one comma and the adjacent white space. */
function removal(container: Node, item: Node): Edit {
  const items = container.children ?? [];
  const index = items.indexOf(item);
  const before = items[index - 1];
  const after = items[index + 1];
  if (before) return { offset: endOf(before), length: endOf(item) - endOf(before), content: '' };
  if (after) return { offset: item.offset, length: after.offset - item.offset, content: '' };
  return { offset: container.offset + 1, length: container.length - 2, content: '' };
}

function editFor(text: string, root: Node, path: JSONPath, change: Change): Edit | undefined {
  const node = findNodeAtLocation(root, path);
  if ('put' in change) {
    if (node) return { offset: node.offset, length: node.length, content: inline(change.put) };
    const parent = findNodeAtLocation(root, path.slice(0, -1));
    if (parent?.type !== 'object') return undefined;
    return insertion(text, parent, String(path.at(-1)), change.put);
  }
  // A field is a node of key and value, and an item of a list is the value alone.
  const item = node?.parent?.type === 'property' ? node.parent : node;
  return item?.parent && removal(item.parent, item);
}

/**
 * Changes one value of a JSON text and no other character. (`modify` of `jsonc-parser` reformats the lines that it touches, and
 * removes the wrong characters when it deletes the last item of a one-line list.)
 * @param text valid JSON
 * @returns the new text; undefined when the path does not exist
 */
export function editJson(text: string, steps: readonly string[], change: Change): string | undefined {
  const root = parseTree(text);
  if (root === undefined || steps.length === 0) return undefined;
  const edit = editFor(text, root, pathOf(root, steps), change);
  return edit && applyEdits(text, [edit]);
}
