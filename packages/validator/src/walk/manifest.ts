import type { Walk } from '../engine.ts';
import { below, ROOT } from '../place.ts';
import type { Fields } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';
import { walkAccounts } from './accounts.ts';
import { walkBranding } from './branding.ts';
import { announceField, announceItems, announceTexts } from './field.ts';
import { walkPanels } from './panels.ts';
import { walkRequires } from './requires.ts';
import { walkTexts } from './texts.ts';
import { walkTools } from './tools.ts';

/** Goes through a manifest once, in the order in which the format lists its fields. */
export function walkManifest(walk: Walk, manifest: unknown): void {
  walk.visit('manifest', manifest, ROOT);
  if (!isFields(manifest)) return;
  walk.visit('manifest.fields', manifest, ROOT);
  announceField(walk, manifest, 'server', ROOT, 'server');
  announceField(walk, manifest, 'activation', ROOT, 'activation');
  walkIdentity(walk, manifest);
  walkPermissions(walk, manifest);
  walkContributes(walk, manifest);
  announceField(walk, manifest, 'publisher', ROOT, 'publisher');
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
  announceField(walk, manifest, 'pluginApiVersion', ROOT, 'pluginApiVersion');
  const id = announceField(walk, manifest, 'id', ROOT, 'id');
  if (typeof id.value === 'string') walk.visit('id.text', id.value, id.place);
  const name = announceField(walk, manifest, 'name', ROOT, 'name');
  if (typeof name.value === 'string') walk.visit('name.text', name.value, name.place);
  announceField(walk, manifest, 'version', ROOT, 'version');
  announceField(walk, manifest, 'description', ROOT, 'description');
}

function walkPermissions(walk: Walk, manifest: Fields): void {
  const { value, place } = announceField(walk, manifest, 'permissions', ROOT, 'permissions');
  if (isList(value)) walk.visit('permissions.list', value, place);
}

function walkContributes(walk: Walk, manifest: Fields): void {
  const { value, place } = announceField(walk, manifest, 'contributes', ROOT, 'contributes');
  if (!isFields(value)) return;
  for (const name of ['skills', 'hooks', 'mcp', 'adapters', 'secrets'] as const) {
    announceField(walk, value, name, place, `contributes.${name}`);
  }
  walkTools(walk, value, place);
  walkPanels(walk, value, place);
  announceField(walk, value, 'settings', place, 'settings');
  announceField(walk, value, 'settingSections', place, 'settings');
}

function walkRemote(walk: Walk, manifest: Fields): void {
  const remote = announceField(walk, manifest, 'remote', ROOT, 'remote');
  if (!isFields(remote.value)) return;
  announceField(walk, remote.value, 'mcpUrl', remote.place, 'remote.mcpUrl');
  const domains = announceField(walk, remote.value, 'domains', remote.place, 'remote.domains');
  if (!isList(domains.value)) return;
  walk.visit('remote.domains.list', domains.value, domains.place);
  announceTexts(walk, domains.value, domains.place, 'remote.domain');
}

function walkNetwork(walk: Walk, manifest: Fields): void {
  const network = announceField(walk, manifest, 'network', ROOT, 'network');
  walk.visit('network.present', network.value, network.place);
  if (!isFields(network.value)) return;
  walk.visit('network.fields', network.value, network.place);
  const domains = own(network.value, 'domains');
  if (!isList(domains)) return;
  const place = below(network.place, 'domains');
  walk.visit('network.domains.list', domains, place);
  announceTexts(walk, domains, place, 'network.domain');
}

function walkGrants(walk: Walk, manifest: Fields): void {
  const { value, place } = announceField(walk, manifest, 'grants', ROOT, 'grants');
  if (isList(value)) announceTexts(walk, value, place, 'grant');
}

/** What the catalogue shows and filters by. */
function walkCatalogueFields(walk: Walk, manifest: Fields): void {
  const categories = announceField(walk, manifest, 'categories', ROOT, 'categories');
  if (isList(categories.value)) announceTexts(walk, categories.value, categories.place, 'category');
  announceField(walk, manifest, 'homepage', ROOT, 'homepage');
  announceField(walk, manifest, 'support', ROOT, 'support');
  const platforms = announceField(walk, manifest, 'platforms', ROOT, 'platforms');
  announceItems(walk, platforms.value, platforms.place, 'platform');
  const arch = announceField(walk, manifest, 'arch', ROOT, 'arch');
  announceItems(walk, arch.value, arch.place, 'arch.item');
}
