import { hiddenIn } from '@svc/text';
import type { Walk } from '../engine.ts';
import { below, type Place, ROOT } from '../place.ts';
import { isFields, isList, own } from '../values.ts';
import { TEXT_CLASSES } from './manifest-strings.ts';

/** The table as a tree: at each step the names under it, and the class of the string that ends there. */
type Node = { readonly below: Map<string, Node>; ends?: 'line' | 'text' };

function treeOf(table: typeof TEXT_CLASSES): Node {
  const root: Node = { below: new Map() };
  for (const [pointer, kind] of Object.entries(table)) {
    if (kind === 'format' || kind === 'unshown') continue;
    let node = root;
    for (const step of pointer.slice(1).split('/')) {
      const next = node.below.get(step) ?? { below: new Map() };
      node.below.set(step, next);
      node = next;
    }
    node.ends = kind;
  }
  return root;
}

const TREE = treeOf(TEXT_CLASSES);

/** Visits the first invisible character of each string in a manifest. */
export function walkTexts(walk: Walk, manifest: unknown): void {
  visit(walk, manifest, ROOT, TREE);
}

function visit(walk: Walk, value: unknown, place: Place, node: Node): void {
  const each = node.below.get('*');
  if (typeof value === 'string' && node.ends !== undefined)
    visitHidden(walk, value, place, node.ends === 'text');
  if (isList(value)) visitItems(walk, value, place, each);
  if (!isFields(value)) return;
  if (each) visitNamed(walk, value, place, each);
  else for (const [name, next] of node.below) visit(walk, own(value, name), below(place, name), next);
}

function visitItems(walk: Walk, list: readonly unknown[], place: Place, each: Node | undefined): void {
  if (each === undefined) return;
  for (const [index, item] of list.entries()) visit(walk, item, below(place, index), each);
}

/** An object whose keys the publisher chooses: the keys are shown like the values. */
function visitNamed(walk: Walk, fields: Readonly<Record<string, unknown>>, place: Place, each: Node): void {
  for (const [name, value] of Object.entries(fields)) {
    visitHidden(walk, name, below(place, name), false);
    visit(walk, value, below(place, name), each);
  }
}

function visitHidden(walk: Walk, text: string, place: Place, lines: boolean): void {
  const hidden = hiddenIn(text, { lines });
  if (hidden) walk.visit('bundle.manifest.problem', { ...hidden, lines }, place);
}
