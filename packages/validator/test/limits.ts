import type { ManifestPatch, Mode } from '../src/rule.ts';
import { letters } from './support.ts';

/** One side of a limit: its name, a manifest at the limit, a manifest just beyond it, and the code of the finding. */
type Boundary = readonly [
  limit: string,
  kept: ManifestPatch,
  broken: ManifestPatch,
  code: string,
  mode?: Mode,
];

/** A text of `units` UTF-16 code units, in characters of two units each; an odd count ends in a letter. */
function astral(units: number): string {
  return '😀'.repeat(Math.floor(units / 2)) + letters(units % 2);
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const hosts = (count: number) => times(count, (index) => `h${index}.example.com`);

const mcpUrl = 'https://mcp.example.com/mcp';
const reason = 'Draws.';
const apps = (count: number) => times(count, (index) => ({ id: `com.example.a${index}`, reason }));
const connectors = (count: number) =>
  times(count, (index) => ({ url: `https://h${index}.example.com/mcp`, reason }));

const account = (fields: object): ManifestPatch => ({
  accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: [], ...fields }],
});
const tool = (fields: object): ManifestPatch => ({
  contributes: { tools: [{ id: 'find', name: 'Find', description: 'Finds.', ...fields }] },
  grants: ['files:receive', 'host:media'],
});
const panel = (fields: object): ManifestPatch => ({
  contributes: { panels: [{ id: 'main', title: 'Main', component: 'webview', ...fields }] },
});
const file = (maxBytes: number): ManifestPatch => tool({ files: { image: { maxBytes } } });
const media = (fields: object): ManifestPatch => tool({ files: { image: { prepare: fields } } });
const quality = (value: number) => media({ op: 'compress', quality: value });
const targetKb = (value: number) => media({ op: 'compress', targetKb: value });
const dimension = (value: number) => media({ op: 'resize', width: value });
const offset = (value: number) => media({ op: 'crop', aspect: '1:1', x: value });
const time = (value: number) => media({ op: 'trim', start: value });
const network = (count: number): ManifestPatch => ({
  network: { domains: hosts(count) },
  grants: ['network'],
  remote: undefined,
});

/** The limits of a text field of 1 to `max` characters, counted in UTF-16 code units. */
function textLimits(limit: string, max: number, patch: (text: string) => ManifestPatch, code: string) {
  return [
    [`${limit}: 1 character`, patch('n'), patch(''), code],
    [`${limit}: ${max} characters`, patch(letters(max)), patch(letters(max + 1)), code],
    [`${limit}: ${max} code units`, patch(astral(max)), patch(astral(max + 1)), code],
    [`${limit}: ${max} code units, in pairs`, patch(astral(max)), patch(astral(max + 2)), code],
  ] satisfies Boundary[];
}

const manifestLimits: readonly Boundary[] = [
  ['id: 64 characters', { id: `a.${letters(62)}` }, { id: `a.${letters(63)}` }, 'id.format'],
  ['id: two parts', { id: 'example.notes' }, { id: 'notes' }, 'id.format'],
  ...textLimits('name', 40, (name) => ({ name }), 'name.missing'),
  ...textLimits('publisher', 40, (publisher) => ({ publisher }), 'publisher.missing'),
  ...textLimits('description', 400, (description) => ({ description }), 'description.missing'),
  ...textLimits('permission', 200, (text) => ({ permissions: [text] }), 'permissions.format'),
  [
    'categories: 3',
    { categories: ['data', 'design', 'media'] },
    { categories: ['data', 'design', 'media', 'games'] },
    'categories.format',
  ],
  ['categories: 1', { categories: ['data'] }, { categories: [] }, 'categories.missing'],
  ['platforms: 1', { platforms: ['linux'] }, { platforms: [] }, 'platforms.format'],
  ['arch: 1', { arch: ['x64'] }, { arch: [] }, 'arch.format'],
  [
    'remote.domains: 20',
    { remote: { mcpUrl, domains: hosts(20) } },
    { remote: { mcpUrl, domains: hosts(21) } },
    'remote.domains.count',
  ],
  ['network.domains: 50', network(50), network(51), 'network.domains.count', 'dev'],
  ['requires.apps: 10', { requires: { apps: apps(10) } }, { requires: { apps: apps(11) } }, 'requires.count'],
  [
    'requires.connectors: 10',
    { requires: { connectors: connectors(10) } },
    { requires: { connectors: connectors(11) } },
    'requires.count',
  ],
  [
    'requires.optional: 10',
    { requires: { optional: [...apps(5), ...connectors(5)] } },
    { requires: { optional: [...apps(6), ...connectors(5)] } },
    'requires.count',
  ],
  ...['apps', 'connectors', 'optional'].flatMap((list) =>
    textLimits(
      `requires.${list}[].reason`,
      200,
      (text) => ({
        requires: { [list]: [{ ...(list === 'apps' ? { id: 'media' } : { url: mcpUrl }), reason: text }] },
      }),
      'requires.reason',
    ),
  ),
];

const contributionLimits: readonly Boundary[] = [
  ...textLimits('account label', 40, (label) => account({ label }), 'accounts.label'),
  ...textLimits('account clientId', 200, (clientId) => account({ clientId }), 'accounts.clientId'),
  ['tool id: 48 characters', tool({ id: letters(48) }), tool({ id: letters(49) }), 'tools.id'],
  ['tool id: 1 character', tool({ id: 'n' }), tool({ id: '' }), 'tools.id'],
  ...textLimits('tool name', 60, (name) => tool({ name }), 'tools.name'),
  ...textLimits('tool description', 1024, (description) => tool({ description }), 'tools.description'),
  ...textLimits('confirm title', 120, (title) => tool({ confirm: { title } }), 'tools.confirm'),
  ...textLimits('panel id', 40, (id) => panel({ id }), 'panels.id'),
  ...textLimits('panel title', 40, (title) => panel({ title }), 'panels.title'),
  ['maxBytes: 1', file(1), file(0), 'tools.files.maxBytes'],
  ['maxBytes: above nothing', file(1), file(-1), 'tools.files.maxBytes'],
  ['maxBytes: 20 MiB', file(20_971_520), file(20_971_521), 'tools.files.maxBytes'],
  ['maxBytes: whole', file(2), file(1.5), 'tools.files.maxBytes'],
  ['maxBytes: a number', file(2), file(Number.NaN), 'tools.files.maxBytes'],
  ['maxBytes: finite', file(2), file(Number.POSITIVE_INFINITY), 'tools.files.maxBytes'],
  ['quality: 1', quality(1), quality(0), 'media.quality'],
  ['quality: 100', quality(100), quality(101), 'media.quality'],
  ['quality: a number', quality(50), quality(Number.NaN), 'media.quality'],
  ['targetKb: 10', targetKb(10), targetKb(9), 'media.targetKb'],
  ['targetKb: 50000', targetKb(50_000), targetKb(50_001), 'media.targetKb'],
  ['offset: 0', offset(0), offset(-1), 'media.offset'],
  ['offset: 16384', offset(16_384), offset(16_385), 'media.offset'],
  ['offset: whole', offset(1), offset(0.5), 'media.offset'],
  ['dimension: 1', dimension(1), dimension(0), 'media.dimension'],
  ['dimension: 16384', dimension(16_384), dimension(16_385), 'media.dimension'],
  ['dimension: whole', dimension(1), dimension(1.5), 'media.dimension'],
  ['time: 0', time(0), time(-0.001), 'media.time'],
  ['time: 600', time(600), time(600.001), 'media.time'],
  [
    'trim: the end after the start',
    media({ op: 'trim', start: 1, end: 1.001 }),
    media({ op: 'trim', start: 1, end: 1 }),
    'media.trim.range',
  ],
];

/** Every numeric limit of the format, on both sides. */
export const BOUNDARIES: readonly Boundary[] = [...manifestLimits, ...contributionLimits];
