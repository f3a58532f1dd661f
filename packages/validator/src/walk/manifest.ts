import type { Walk } from '../engine.ts';
import { below, ROOT } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { walkAccounts } from './accounts.ts';
import { walkBranding } from './branding.ts';
import { visitField, visitItems, visitTexts } from './field.ts';
import { walkPanels } from './panels.ts';
import { walkRequires } from './requires.ts';
import { walkTexts } from './texts.ts';
import { walkTools } from './tools.ts';

/** Walks through a manifest once, in the order of the fields in the format. */
export function walkManifest(walk: Walk, manifest: unknown): void {
  walk.visit('manifest', manifest, ROOT);
  if (!isFields(manifest)) return;
  walk.visit('manifest.fields', manifest, ROOT);
  visitField(walk, manifest, 'server', ROOT, 'server');
  visitField(walk, manifest, 'activation', ROOT, 'activation');
  walkIdentity(walk, manifest);
  walkPermissions(walk, manifest);
  walkContributes(walk, manifest);
  visitField(walk, manifest, 'publisher', ROOT, 'publisher');
  walkRemote(walk, manifest);
  walkBranding(walk, own(manifest, 'branding'), below(ROOT, 'branding'));
  walkGrants(walk, manifest);
  walkAccounts(walk, manifest);
  walkCatalogueFields(walk, manifest);
  walkRequires(walk, manifest);
  walkNetwork(walk, manifest);
  walkTexts(walk, manifest);
}

function walkIdentity(walk: Walk, manifest: Fields): void {
  visitField(walk, manifest, 'pluginApiVersion', ROOT, 'pluginApiVersion');
  const id = visitField(walk, manifest, 'id', ROOT, 'id');
  if (typeof id.value === 'string') walk.visit('id.text', id.value, id.place);
  const name = visitField(walk, manifest, 'name', ROOT, 'name');
  if (typeof name.value === 'string') walk.visit('name.text', name.value, name.place);
  visitField(walk, manifest, 'version', ROOT, 'version');
  visitField(walk, manifest, 'description', ROOT, 'description');
}

function walkPermissions(walk: Walk, manifest: Fields): void {
  const { value, place } = visitField(walk, manifest, 'permissions', ROOT, 'permissions');
  if (isList(value)) walk.visit('permissions.list', value, place);
}

function walkContributes(walk: Walk, manifest: Fields): void {
  const { value, place } = visitField(walk, manifest, 'contributes', ROOT, 'contributes');
  if (!isFields(value)) return;
  for (const name of ['skills', 'hooks', 'mcp', 'adapters', 'secrets'] as const) {
    visitField(walk, value, name, place, `contributes.${name}`);
  }
  walkTools(walk, value, place);
  walkPanels(walk, value, place);
  visitField(walk, value, 'settings', place, 'settings');
  visitField(walk, value, 'settingSections', place, 'settings');
}

function walkRemote(walk: Walk, manifest: Fields): void {
  const remote = visitField(walk, manifest, 'remote', ROOT, 'remote');
  if (!isFields(remote.value)) return;
  visitField(walk, remote.value, 'mcpUrl', remote.place, 'remote.mcpUrl');
  const domains = visitField(walk, remote.value, 'domains', remote.place, 'remote.domains');
  if (!isList(domains.value)) return;
  walk.visit('remote.domains.list', domains.value, domains.place);
  visitTexts(walk, domains.value, domains.place, 'remote.domain');
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

function walkGrants(walk: Walk, manifest: Fields): void {
  const { value, place } = visitField(walk, manifest, 'grants', ROOT, 'grants');
  if (isList(value)) visitTexts(walk, value, place, 'grant');
}

/** Walks through the fields that the catalogue shows and filters by. */
function walkCatalogueFields(walk: Walk, manifest: Fields): void {
  const categories = visitField(walk, manifest, 'categories', ROOT, 'categories');
  if (isList(categories.value)) visitTexts(walk, categories.value, categories.place, 'category');
  visitField(walk, manifest, 'homepage', ROOT, 'homepage');
  visitField(walk, manifest, 'support', ROOT, 'support');
  const platforms = visitField(walk, manifest, 'platforms', ROOT, 'platforms');
  visitItems(walk, platforms.value, platforms.place, 'platform');
  const arch = visitField(walk, manifest, 'arch', ROOT, 'arch');
  visitItems(walk, arch.value, arch.place, 'arch.item');
}
