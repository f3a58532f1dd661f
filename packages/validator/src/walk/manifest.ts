import type { Manifest } from '@svc/contracts';
import { DEFAULT_PANEL_ENTRY, LIMITS } from '@svc/contracts/vocabulary';
import { hiddenIn } from '@svc/text';
import type { Walk } from '../engine.ts';
import { isBundlePath } from '../paths.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { below, type Place, ROOT } from '../place.ts';
import type { BundleFile, Fields } from '../targets.ts';
import { fieldsOf, isFields, isList, own } from '../values.ts';
import { visitField, visitItems, visitObjects, visitTexts } from './field.ts';
import { FIELDS_OF, TEXT_CLASSES } from './manifest-strings.ts';
import { walkTools } from './tools.ts';

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
function walkTexts(walk: Walk, manifest: unknown): void {
  visit(walk, manifest, ROOT, TREE);
}

function visit(walk: Walk, value: unknown, place: Place, node: Node): void {
  const each = node.below.get('*');
  if (typeof value === 'string' && node.ends !== undefined)
    visitHidden(walk, value, place, node.ends === 'text');
  if (isList(value)) visitTextItems(walk, value, place, each);
  if (!isFields(value)) return;
  if (each) visitNamed(walk, value, place, each);
  else for (const [name, next] of node.below) visit(walk, own(value, name), below(place, name), next);
}

function visitTextItems(walk: Walk, list: readonly unknown[], place: Place, each: Node | undefined): void {
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

/**
 * Visits a file that the manifest refers to, and its bytes if the bundle has it. Does nothing without a bundle or a valid path.
 * Returns the visited file.
 */
function visitReference(
  walk: Walk,
  name: unknown,
  place: Place,
  target?: 'branding.icon.file' | 'branding.mark.file' | 'branding.screenshot.file',
): BundleFile | undefined {
  const { entries } = walk.context;
  if (entries === undefined || !isBundlePath(name)) return undefined;
  walk.visit('bundle.reference', name, place);
  const bytes = entries.get(name);
  if (target === undefined || bytes === undefined) return undefined;
  const file = { name, bytes };
  walk.visit(target, file, place);
  return file;
}

const WALK_ENTRY = { apps: walkApp, connectors: walkConnector, optional: walkOptional } as const;

/** Walks through `requires`. Entries beyond the limit are not checked: the rule about their number reports them. */
function walkRequires(walk: Walk, value: unknown, place: Place): void {
  if (!isFields(value)) return;
  for (const name of ['apps', 'connectors', 'optional'] as const) {
    const list = own(value, name);
    if (!isList(list)) continue;
    const here = below(place, name);
    walk.visit('requires.list', list, here);
    visitObjects(walk, list.slice(0, LIMITS.requires.entries), here, 'requires.entry', (_walk, entry, at) => {
      WALK_ENTRY[name](walk, entry, at);
      visitField(walk, entry, 'reason', at, 'requires.reason');
    });
  }
}

/** An app has an id, or in a local folder the repository from which it is installed. */
function walkApp(walk: Walk, entry: Fields, at: Place): void {
  walk.visit('requires.app', entry, at);
  const github = own(entry, 'github');
  if (github !== undefined) visitField(walk, entry, 'github', at, 'requires.github');
  const namedOtherwise = github !== undefined || own(entry, 'url') !== undefined;
  if (own(entry, 'id') !== undefined || !namedOtherwise) visitField(walk, entry, 'id', at, 'requires.id');
}

function walkConnector(walk: Walk, entry: Fields, at: Place): void {
  visitField(walk, entry, 'url', at, 'requires.url');
  visitField(walk, entry, 'required', at, 'requires.required');
}

function walkOptional(walk: Walk, entry: Fields, at: Place): void {
  walk.visit('requires.optional', entry, at);
  const named = ['id', 'url'].filter((field) => own(entry, field) !== undefined);
  if (named.length !== 1) return;
  if (named[0] === 'id') visitField(walk, entry, 'id', at, 'requires.id');
  else visitField(walk, entry, 'url', at, 'requires.url');
}

function walkPanels(walk: Walk, contributes: Fields, parent: Place): void {
  const { value, place } = visitField(walk, contributes, 'panels', parent, 'panels');
  if (isList(value)) visitObjects(walk, value, place, 'panel', walkPanel);
}

function walkPanel(walk: Walk, panel: Fields, here: Place): void {
  for (const name of FIELDS_OF['/contributes/panels/*']) visitField(walk, panel, name, here, `panel.${name}`);
  const config = own(panel, 'config');
  if (config !== undefined && !isFields(config)) return;
  const entry = own(fieldsOf(config), 'entry');
  const page = entry === undefined ? DEFAULT_PANEL_ENTRY : entry;
  visitReference(walk, page, below(below(here, 'config'), 'entry'));
}

/** Walks through `branding` and its images. A missing `branding` is treated as empty: only the icon is reported as missing. */
function walkBranding(walk: Walk, branding: unknown, place: Place): void {
  if (branding !== undefined && !isFields(branding)) return;
  const fields = fieldsOf(branding);
  for (const name of FIELDS_OF['/branding']) {
    const field = visitField(walk, fields, name, place, `branding.${name}`);
    if (name === 'icon')
      walkIcon(walk, visitReference(walk, field.value, field.place, 'branding.icon.file'), field.place);
    if (name === 'mark')
      walkMark(walk, visitReference(walk, field.value, field.place, 'branding.mark.file'), field.place);
    if (name === 'screenshots') walkScreenshots(walk, field.value, field.place);
  }
}

function walkScreenshots(walk: Walk, names: unknown, place: Place): void {
  if (!isList(names)) return;
  for (const [index, name] of names.slice(0, LIMITS.branding.screenshots).entries())
    visitReference(walk, name, below(place, index), 'branding.screenshot.file');
}

/** Checks the content of the icon, unless the file is too large: that is already reported, and the limit bounds the work. */
function walkIcon(walk: Walk, file: BundleFile | undefined, place: Place): void {
  if (file === undefined || file.bytes.length > LIMITS.branding.iconBytes) return;
  const picture = readPicture(file.bytes);
  walk.visit('branding.icon.picture', picture, place);
  if (picture.format !== 'png' && picture.format !== 'svg') return;
  walk.visit('branding.icon.sides', picture.sides, place);
  if (picture.format === 'svg') walk.visit('branding.svg', picture, place);
  else walk.visit('branding.icon.side', Math.min(picture.sides.width, picture.sides.height), place);
}

function walkMark(walk: Walk, file: BundleFile | undefined, place: Place): void {
  if (file === undefined || file.bytes.length > LIMITS.branding.markBytes) return;
  const picture = readPicture(file.bytes);
  walk.visit('branding.mark.picture', picture, place);
  if (picture.format === 'svg') walk.visit('branding.svg', picture, place);
}

function walkAccounts(walk: Walk, value: unknown, place: Place): void {
  if (!isList(value)) return;
  walk.visit('accounts.list', value, place);
  visitObjects(walk, value, place, 'account', walkAccount);
}

/** Fields that an account without `auth` needs. */
const ENDPOINTS: ReadonlySet<string> = new Set(['authorizeUrl', 'tokenUrl', 'clientId']);

function walkAccount(walk: Walk, account: Fields, here: Place): void {
  const auth = own(account, 'auth');
  for (const name of FIELDS_OF['/accounts/*']) {
    // A malformed `auth` is reported once: the fields that `"auth": "mcp"` makes unnecessary are not required then.
    const mayBeAbsent = name === 'revokeUrl' || (auth !== undefined && ENDPOINTS.has(name));
    if (!mayBeAbsent || own(account, name) !== undefined)
      visitField(walk, account, name, here, `account.${name}`);
  }
  const params = own(account, 'params');
  if (!isFields(params)) return;
  for (const name of Object.keys(params)) {
    walk.visit('account.param', name, below(below(here, 'params'), name));
  }
}

/** Walks through a manifest once, in the order of the fields in the format. */
export function walkManifest(walk: Walk, manifest: unknown): void {
  walk.visit('manifest', manifest, ROOT);
  if (!isFields(manifest)) return;
  walk.visit('manifest.fields', manifest, ROOT);
  visitField(walk, manifest, 'server', ROOT, 'server');
  visitField(walk, manifest, 'activation', ROOT, 'activation');
  for (const name of FIELDS_OF['']) {
    const { value, place } = visitField(walk, manifest, name, ROOT, name);
    INSIDE[name]?.(walk, value, place);
  }
  walkNetwork(walk, manifest);
  walkTexts(walk, manifest);
}

type WalkInside = (walk: Walk, value: unknown, place: Place) => void;

/** What the walk visits within fields. The others are visited as they are. */
const INSIDE: Partial<Record<keyof Manifest, WalkInside>> = {
  id: (walk, id, place) => typeof id === 'string' && walk.visit('id.text', id, place),
  name: (walk, name, place) => typeof name === 'string' && walk.visit('name.text', name, place),
  permissions: (walk, list, place) => isList(list) && walk.visit('permissions.list', list, place),
  contributes: walkContributes,
  remote: walkRemote,
  branding: walkBranding,
  grants: (walk, grants, place) => isList(grants) && visitTexts(walk, grants, place, 'grant'),
  accounts: walkAccounts,
  categories: (walk, list, place) => isList(list) && visitTexts(walk, list, place, 'category'),
  platforms: (walk, list, place) => visitItems(walk, list, place, 'platform'),
  arch: (walk, list, place) => visitItems(walk, list, place, 'arch.item'),
  requires: walkRequires,
};

function walkContributes(walk: Walk, value: unknown, place: Place): void {
  if (!isFields(value)) return;
  for (const name of ['skills', 'hooks', 'mcp', 'adapters', 'secrets'] as const)
    visitField(walk, value, name, place, `contributes.${name}`);
  walkTools(walk, value, place);
  walkPanels(walk, value, place);
  visitField(walk, value, 'settings', place, 'settings');
  visitField(walk, value, 'settingSections', place, 'settings');
}

function walkRemote(walk: Walk, remote: unknown, parent: Place): void {
  if (!isFields(remote)) return;
  for (const name of FIELDS_OF['/remote']) visitField(walk, remote, name, parent, `remote.${name}`);
  const domains = own(remote, 'domains');
  if (!isList(domains)) return;
  const place = below(parent, 'domains');
  walk.visit('remote.domains.list', domains, place);
  visitTexts(walk, domains, place, 'remote.domain');
}

function walkNetwork(walk: Walk, manifest: Fields): void {
  const network = visitField(walk, manifest, 'network', ROOT, 'network');
  walk.visit('network.present', network.value, network.place);
  if (!isFields(network.value)) return;
  walk.visit('network.fields', network.value, network.place);
  const domains = own(network.value, 'domains');
  if (!isList(domains)) return;
  const place = below(network.place, 'domains');
  walk.visit('network.domains.list', domains, place);
  visitTexts(walk, domains, place, 'network.domain');
}
