import type { Manifest } from '@svc/contracts';
import { hiddenIn } from '@svc/text';
import type { Walk } from '../engine.ts';
import { below, type Place, ROOT } from '../place.ts';
import { isFields, isList, own } from '../values.ts';

/** The JSON Pointers of all strings of a type; `*` is an index, or a name that the publisher chooses. */
type StringsOf<T, At extends string = ''> = T extends string
  ? At
  : T extends number | boolean | null | undefined
    ? never
    : T extends readonly (infer Item)[]
      ? StringsOf<Item, `${At}/*`>
      : string extends keyof T
        ? StringsOf<T[keyof T], `${At}/*`>
        : { [K in keyof T & string]: StringsOf<T[K], `${At}/${K}`> }[keyof T & string];

/**
 * What a string may contain. `line`: visible characters on a single line. `text`: line feeds and tabs too, for descriptions and
 * Markdown. `format`: the rule of the field already excludes invisible characters. `unshown`: the string is never shown.
 */
type TextClass = 'line' | 'text' | 'format' | 'unshown';

/** Every string of a manifest. A string of the schema that is missing here does not compile. */
export const TEXT_CLASSES: Readonly<Record<StringsOf<Manifest>, TextClass>> = {
  '/$schema': 'unshown',
  '/id': 'format',
  '/name': 'line',
  '/version': 'format',
  '/description': 'text',
  '/permissions/*': 'line',
  '/publisher': 'line',
  '/author': 'line',
  '/homepage': 'line',
  '/support': 'line',
  '/categories/*': 'format',
  '/grants/*': 'format',
  '/platforms/*': 'format',
  '/arch/*': 'format',
  '/remote/mcpUrl': 'line',
  '/remote/domains/*': 'format',
  '/branding/icon': 'line',
  '/branding/mark': 'line',
  '/branding/accent': 'format',
  '/branding/screenshots/*': 'line',
  '/accounts/*/id': 'format',
  '/accounts/*/label': 'line',
  '/accounts/*/auth': 'format',
  '/accounts/*/authorizeUrl': 'line',
  '/accounts/*/tokenUrl': 'line',
  '/accounts/*/revokeUrl': 'line',
  '/accounts/*/clientId': 'line',
  '/accounts/*/scopes/*': 'format',
  '/accounts/*/params/*': 'line',
  '/requires/providers/*': 'format',
  '/requires/apps/*/id': 'format',
  '/requires/apps/*/github': 'line',
  '/requires/apps/*/reason': 'line',
  '/requires/connectors/*/url': 'line',
  '/requires/connectors/*/reason': 'line',
  '/requires/optional/*/id': 'format',
  '/requires/optional/*/url': 'line',
  '/requires/optional/*/reason': 'line',
  '/contributes/tools/*/id': 'format',
  '/contributes/tools/*/remoteName': 'format',
  '/contributes/tools/*/name': 'line',
  '/contributes/tools/*/description': 'text',
  '/contributes/tools/*/account': 'format',
  '/contributes/tools/*/confirm/title': 'line',
  '/contributes/tools/*/confirm/body': 'text',
  '/contributes/tools/*/confirm/action': 'line',
  '/contributes/tools/*/files/*/accept/*': 'line',
  '/contributes/tools/*/files/*/prepare/op': 'format',
  '/contributes/tools/*/files/*/prepare/aspect': 'format',
  '/contributes/tools/*/files/*/prepare/fit': 'format',
  '/contributes/tools/*/files/*/prepare/gravity': 'format',
  '/contributes/tools/*/files/*/prepare/format': 'format',
  '/contributes/panels/*/id': 'line',
  '/contributes/panels/*/title': 'line',
  '/contributes/panels/*/component': 'format',
  '/contributes/panels/*/icon': 'line',
  '/contributes/panels/*/config/entry': 'line',
  '/contributes/panels/*/views/*/id': 'line',
  '/contributes/panels/*/views/*/label': 'line',
  '/contributes/settings/*/id': 'line',
  '/contributes/settings/*/label': 'line',
  '/contributes/settings/*/type': 'line',
  '/contributes/settings/*/default': 'line',
  '/contributes/settings/*/options/*': 'line',
};

/** The table as a tree: at each step the names under it, and the class of the string that ends there. */
type Node = { readonly below: Map<string, Node>; ends?: 'line' | 'text' };

function treeOf(table: Readonly<Record<string, TextClass>>): Node {
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
