import { nearest } from './nearest.ts';
import type { Place } from './place.ts';
import { show } from './text.ts';
import { isFields, isList, own } from './values.ts';

/** Every field of the format, wherever it belongs: one of them is never another one in a wrong spelling. */
export const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...['$schema', 'pluginApiVersion', 'id', 'name', 'version', 'description', 'permissions', 'contributes'],
  ...['publisher', 'remote', 'branding', 'grants', 'accounts', 'categories', 'homepage', 'support', 'author'],
  ...['platforms', 'arch', 'requires', 'server', 'activation', 'network', 'mcpUrl', 'domains'],
  ...['icon', 'mark', 'accent', 'screenshots', 'label', 'auth', 'authorizeUrl', 'tokenUrl', 'revokeUrl'],
  ...['clientId', 'scopes', 'required', 'params', 'providers', 'apps', 'connectors', 'optional', 'reason'],
  ...[
    'url',
    'github',
    'tools',
    'panels',
    'settings',
    'settingSections',
    'skills',
    'hooks',
    'mcp',
    'adapters',
  ],
  ...['secrets', 'files', 'confirm', 'account', 'accept', 'multiple', 'maxBytes', 'prepare', 'title', 'body'],
  ...['action', 'component', 'config', 'entry', 'views', 'op', 'width', 'height', 'x', 'y', 'aspect', 'fit'],
  ...['gravity', 'format', 'quality', 'targetKb', 'start', 'end', 'type', 'default', 'options'],
]);

/** Fields of an object that nobody wrote by hand. */
const MAX_KEYS = 500;

/** Asks whether a field that is not there is there under nearly its name; empty when not. For the end of a message. */
export function misspeltIn(fields: unknown, name: string): string {
  if (!isFields(fields) || own(fields, name) !== undefined) return '';
  const keys = Object.keys(fields);
  if (keys.length > MAX_KEYS) return '';
  const other = nearest(
    name,
    keys.filter((key) => !FIELD_NAMES.has(key)),
  );
  return other === undefined ? '' : ` Did you mean the field ${show(other)} to be ${show(name)}?`;
}

/** The same for the field that a place names. Where what should be around it is missing too, it is that which is asked for. */
export function misspeltAt(manifest: unknown, place: Place): string {
  if (place.parent === undefined) return '';
  const around = valueAt(manifest, place.parent);
  return around === undefined ? misspeltAt(manifest, place.parent) : misspeltIn(around, String(place.step));
}

/** What stands at a place of the manifest; undefined when nothing does. */
export function valueAt(manifest: unknown, place: Place): unknown {
  if (place.parent === undefined) return manifest;
  const around = valueAt(manifest, place.parent);
  if (isList(around)) return typeof place.step === 'number' ? around[place.step] : undefined;
  return isFields(around) ? own(around, String(place.step)) : undefined;
}
