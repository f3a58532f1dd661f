import { manifestJsonSchema } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MANIFEST } from '../src/example.ts';
import { FIELD_NAMES, misspeltAt, misspeltIn, valueAt } from '../src/misspelt.ts';
import { below, entryPlace, ROOT } from '../src/place.ts';
import { validateManifest } from '../src/validate.ts';
import { RICH_MANIFEST } from './rich-manifest.ts';
import { cpuMs, issuesOf } from './support.ts';

const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] };
const tool = { id: 'find', name: 'Find', description: 'Finds.' };
const panel = { id: 'main', title: 'Main', component: 'webview' };
const { remote } = EXAMPLE_MANIFEST;

/** A copy of the object with one field renamed. */
function renamed(fields: object, name: string, other: string): object {
  return { ...fields, [name]: undefined, [other]: Reflect.get(fields, name) };
}

it.each([
  ['id', 'ID', '/id'],
  ['name', 'nmae', '/name'],
  ['version', 'verison', '/version'],
  ['description', 'desciption', '/description'],
  ['permissions', 'permission', '/permissions'],
  ['contributes', 'contribute', '/contributes'],
  ['publisher', 'publischer', '/publisher'],
  ['remote', 'remotes', '/remote'],
  ['branding', 'brandng', '/branding/icon'],
  ['categories', 'categorys', '/categories'],
  ['pluginApiVersion', 'plugin_api_version', '/pluginApiVersion'],
])('suggests %s for the misspelt field %s', (name, other, path) => {
  const issue = issuesOf({ ...renamed(EXAMPLE_MANIFEST, name, other) }).find((found) => found.path === path);
  const missing = path === '/branding/icon' ? 'branding' : name;
  expect(issue?.message.endsWith(` Did you mean "${missing}" instead of "${other}"?`)).toBe(true);
});

it.each([
  ['accounts', { accounts: [renamed(account, 'label', 'lable')] }, 'lable', 'label'],
  ['accounts', { accounts: [renamed(account, 'scopes', 'scope')] }, 'scope', 'scopes'],
  [
    'tools',
    { contributes: { tools: [renamed(tool, 'description', 'descripton')] } },
    'descripton',
    'description',
  ],
  ['tools', { contributes: { tools: [{ ...tool, confirm: { Title: 'Sure?' } }] } }, 'Title', 'title'],
  [
    'panels',
    { contributes: { panels: [renamed(panel, 'component', 'componnent')] } },
    'componnent',
    'component',
  ],
  ['remote', { remote: renamed(remote, 'mcpUrl', 'mcpURL') }, 'mcpURL', 'mcpUrl'],
  ['remote', { remote: renamed(remote, 'domains', 'domain') }, 'domain', 'domains'],
  ['branding', { branding: { Icon: 'assets/icon.svg' } }, 'Icon', 'icon'],
  ['requires', { requires: { apps: [{ id: 'media', reasn: 'Plays.' }] } }, 'reasn', 'reason'],
])('suggests a name for a misspelt field in %s', (_part, patch, other, name) => {
  const messages = issuesOf(patch).map(({ message }) => message);
  expect(messages).toEqual([expect.stringContaining(` Did you mean "${name}" instead of "${other}"?`)]);
});

describe('misspeltIn', () => {
  it('ignores fields of the format, distant names, ambiguous names and inherited fields', () => {
    expect(misspeltIn({ mark: '' }, 'marks')).toBe('');
    expect(misspeltIn({ title: '' }, 'name')).toBe('');
    expect(misspeltIn({ names: '', name: '' }, 'name')).toBe('');
    expect(misspeltIn({ names: '', nmae: '' }, 'name')).toBe('');
    expect(misspeltIn('names', 'name')).toBe('');
    expect(misspeltIn(Object.create({ names: '' }), 'name')).toBe('');
  });

  it('suggests nothing for a field of the format', () => {
    const keysOf = (value: unknown): string[] => {
      if (Array.isArray(value)) return value.flatMap(keysOf);
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
    };
    const asked = keysOf(RICH_MANIFEST).filter((key) => misspeltIn({ [key]: '' }, key.toUpperCase()) !== '');
    expect(new Set(asked)).toEqual(CHOSEN_KEYS);
  });

  it('escapes the names that it repeats', () => {
    expect(misspeltIn({ 'publishe\u202e': '' }, 'publisher')).toContain('"publishe\\u202e"');
  });
});

/** Keys of the rich manifest that its author chose. */
const CHOSEN_KEYS: ReadonlySet<string> = new Set(['image', 'sound', 'other', 'prompt']);

describe('a place', () => {
  const manifest = { a: [{ b: 1 }], nmae: '' };
  it('finds its value', () => {
    expect(valueAt(manifest, ROOT)).toBe(manifest);
    expect(valueAt(manifest, below(below(below(ROOT, 'a'), 0), 'b'))).toBe(1);
    expect(valueAt(manifest, below(below(ROOT, 'a'), 'length'))).toBeUndefined();
    expect(valueAt(manifest, below(ROOT, 'toString'))).toBeUndefined();
    expect(valueAt(manifest, below(below(ROOT, 'x'), 'y'))).toBeUndefined();
  });

  it('suggests a misspelt name when its value is missing', () => {
    expect(misspeltAt(manifest, below(ROOT, 'name'))).toContain('"nmae"');
    expect(misspeltAt(manifest, below(below(ROOT, 'name'), 'x'))).toContain('"nmae"');
    expect(misspeltAt(manifest, entryPlace('README.md'))).toBe('');
    expect(misspeltAt(undefined, below(ROOT, 'name'))).toBe('');
  });
});

it('validates a manifest with 50,000 unknown fields in bounded time', () => {
  const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 0]));
  const start = cpuMs();
  expect(validateManifest(fields, { mode: 'store' }).length).toBeGreaterThan(5);
  expect(cpuMs() - start).toBeLessThan(10_000);
});

it('FIELD_NAMES has every field of the JSON Schema', () => {
  const names = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, inside] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(inside)) names.add(name);
      collect(inside);
    }
  };
  collect(manifestJsonSchema('https://store.example.com/schema'));
  expect(names.size).toBeGreaterThan(60);
  expect([...names].filter((name) => !FIELD_NAMES.has(name))).toEqual([]);
});
