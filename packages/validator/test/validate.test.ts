import { runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MANIFEST, exampleEntries } from '../src/example.ts';
import { RULES } from '../src/rules/index.ts';
import {
  fixesFor,
  hasErrors,
  parseManifest,
  reservedNameIn,
  type ValidateOptions,
  validateBundle,
  validateManifest,
} from '../src/validate.ts';
import { nearManifest } from './arbitrary.ts';
import { clumsyManifest } from './clumsy-manifest.ts';
import { namedIn } from './reach.ts';
import { RICH_MANIFEST } from './rich-manifest.ts';
import { bytesOf, cpuMs, exampleWith, fix, linesOf } from './support.ts';

const store = { mode: 'store' } as const;

describe('validateManifest', () => {
  it('accepts the smallest manifest and one with every field', () => {
    expect(validateManifest(EXAMPLE_MANIFEST, store)).toEqual([]);
    expect(validateManifest(RICH_MANIFEST, store)).toEqual([]);
    expect(validateManifest(RICH_MANIFEST, { mode: 'dev' })).toEqual([]);
  });

  it('requires fewer fields in dev mode', () => {
    const { publisher, remote, branding, ...local } = EXAMPLE_MANIFEST;
    expect(validateManifest({ ...local, pluginApiVersion: 1, id: 'local.notes' }, { mode: 'dev' })).toEqual(
      [],
    );
    expect(linesOf(validateManifest({ ...local, pluginApiVersion: 1, id: 'local.notes' }, store))).toEqual([
      'manifest.api-version-store /pluginApiVersion',
      'id.reserved /id',
      'publisher.missing /publisher',
      'remote.missing /remote',
      'branding.icon.missing /branding/icon',
    ]);
  });

  it('never throws, is deterministic, and does not modify the value, for any value', () => {
    const anything = fc.oneof(
      nearManifest,
      fc.anything(),
      fc.json().map((text): unknown => JSON.parse(text)),
    );
    const property = fc.property(anything, fc.constantFrom('store', 'dev'), (value, mode) => {
      const before = fc.stringify(value);
      const issues = validateManifest(value, { mode });
      expect(validateManifest(value, { mode })).toEqual(issues);
      expect(fc.stringify(value)).toBe(before);
      for (const issue of issues) {
        expect(issue.path).toMatch(/^(?:\/|$)/);
        expect(issue.message.isWellFormed()).toBe(true);
        expect(issue.message.length).toBeLessThan(600);
        expect(issue.message).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }
    });
    fc.assert(property, { numRuns: runs(1_500) });
  });

  it('accepts in dev mode every manifest that it accepts in store mode', () => {
    fc.assert(
      fc.property(nearManifest, (manifest) => {
        const inStore = validateManifest(manifest, store);
        if (!hasErrors(inStore)) expect(hasErrors(validateManifest(manifest, { mode: 'dev' }))).toBe(false);
      }),
    );
  });

  it('reads nothing from a prototype', () => {
    const inherited: unknown = Object.create(EXAMPLE_MANIFEST);
    expect(linesOf(validateManifest(inherited, store))).toContain('id.missing /id');
    const parsed = parseManifest(
      bytesOf(JSON.stringify(EXAMPLE_MANIFEST).replace('"id"', '"__proto__":{"id":"com.example.a"},"x"')),
    );
    expect(parsed.ok && linesOf(validateManifest(parsed.value, store))).toEqual(['id.missing /id']);
  });

  it('validates a hostile manifest in bounded time', () => {
    const many = <T>(item: T): T[] => Array.from({ length: 200_000 }, () => item);
    const hostile = {
      ...EXAMPLE_MANIFEST,
      id: 'a.'.repeat(1_000_000),
      name: 'ѕ'.repeat(1_000_000),
      version: `1.0.0-${'a.'.repeat(500_000)}`,
      homepage: `https://${'a.'.repeat(1_000_000)}`,
      support: `mailto:${'a'.repeat(1_000_000)}`,
      permissions: many(7),
      grants: many('exec'),
      remote: { mcpUrl: `https://${'a-'.repeat(1_000_000)}`, domains: many('*.'.repeat(10)) },
      accounts: many({ id: 'a' }),
      contributes: { tools: many({ id: 'a', account: 'b', files: {} }), panels: many({}) },
    };
    const start = cpuMs();
    const issues = validateManifest(hostile, store);
    expect(cpuMs() - start).toBeLessThan(10_000);
    expect(issues.length).toBeLessThan(3_000);
  });
});

describe('property names of Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'toString', 'valueOf'];

  it.each(names)('%s is ignored as a field', (name) => {
    const inside =
      '{"id":"com.example.evil","scopes":["all"],"multiple":true,"op":"x","mcpUrl":"http://evil.example"}';
    const text = JSON.stringify(RICH_MANIFEST).replace('{{count}}', 'the');
    const parsed = parseManifest(bytesOf(text.replaceAll('{', `{${JSON.stringify(name)}:${inside},`)));
    const found = parsed.ok ? linesOf(validateManifest(parsed.value, store)) : [];
    // Where the author chooses the names, this name is ordinary; only its value is invalid.
    expect(found.filter((line) => !line.endsWith(`/${name}`))).toEqual([]);
    expect(found).toContain(`accounts.params /accounts/0/params/${name}`);
    expect(parsed.ok && fixesFor(parsed.value, store)).toEqual([]);
    expect(Reflect.get({}, 'scopes')).toBeUndefined();
  });

  it.each(names)('%s is an unknown value', (name) => {
    const patch = {
      grants: [name],
      categories: [name],
      platforms: [name],
      arch: [name],
      accounts: [{ id: 'notes', label: 'Notes', auth: name, scopes: [] }],
      requires: { providers: [name], apps: [{ id: name, reason: 'None.' }] },
      contributes: {
        tools: [{ id: 'find', name: 'Find', description: 'Finds.', account: name }],
        panels: [{ id: 'main', title: 'Main', component: name }],
      },
    };
    expect(linesOf(validateManifest(exampleWith(patch), store)).sort()).toEqual([
      'accounts.auth /accounts/0/auth',
      'arch.unknown /arch/0',
      'categories.unknown /categories/0',
      'grants.unknown /grants/0',
      'panels.component /contributes/panels/0/component',
      'platforms.unknown /platforms/0',
      'requires.format /requires/providers/0',
      'requires.id /requires/apps/0/id',
      'tools.account /contributes/tools/0/account',
    ]);
    expect(fixesFor(exampleWith(patch), store)).toEqual([]);
  });
});

describe('fixesFor', () => {
  const entries = exampleEntries({ files: {} });
  const anything = fc.oneof(
    { weight: 4, arbitrary: clumsyManifest },
    { weight: 2, arbitrary: nearManifest },
    { weight: 1, arbitrary: fc.anything() },
  );
  const options = fc.constantFrom(
    { mode: 'store' } as const,
    { mode: 'dev' } as const,
    { mode: 'store', entries } as const,
  );

  const errorsIn = (manifest: unknown, option: ValidateOptions) =>
    validateManifest(manifest, option).filter(({ level }) => level === 'error').length;

  it('fixes only reported findings, adds no errors, and terminates', () => {
    const property = fc.property(anything, options, (manifest, option) => {
      const found = new Set(linesOf(validateManifest(manifest, option)));
      const fixes = fixesFor(manifest, option).filter(({ code }) => code !== 'bundle.missing');
      for (const { code, path } of fixes) expect(found).toContain(`${code} ${path}`);
      const fixed = fix(manifest, option);
      expect(fixesFor(fixed, option)).toEqual([]);
      expect(fix(fixed, option)).toBe(fixed);
      expect(errorsIn(fixed, option)).toBeLessThanOrEqual(errorsIn(manifest, option));
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('adds no grant, host, account or scope that the manifest did not name', () => {
    const property = fc.property(anything, options, (manifest, option) => {
      const before = namedIn(manifest);
      for (const name of namedIn(fix(manifest, option))) expect(before).toContain(name);
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('offers no fix for a valid manifest', () => {
    expect(fixesFor(EXAMPLE_MANIFEST, { mode: 'store', entries })).toEqual([]);
    expect(fixesFor(RICH_MANIFEST, { mode: 'store' })).toEqual([]);
  });
});

describe('validateBundle', () => {
  const entries = (files: Record<string, string | undefined> = {}) => exampleEntries({ files });
  const lines = (files: Record<string, string | undefined>) =>
    linesOf(validateBundle(entries(files), store).issues);

  it('accepts the example bundle, and returns its manifest', () => {
    expect(validateBundle(entries(), store)).toEqual({ issues: [], manifest: EXAMPLE_MANIFEST });
  });

  it('reports findings of the manifest first, then those of the bundle', () => {
    const manifest = JSON.stringify({ ...EXAMPLE_MANIFEST, id: 'x', branding: { icon: 'assets/none.png' } });
    const files = {
      'plugin.json': manifest,
      'README.md': undefined,
      'z.sh': '',
      'a.txt': '',
      'assets/nul': '',
    };
    const { issues } = validateBundle(entries(files), { ...store, size: 30 * 1024 * 1024 });
    expect(linesOf(issues)).toEqual([
      'id.format /id',
      'bundle.missing /branding/icon',
      'bundle.size ',
      'bundle.executable z.sh',
      'bundle.unexpected z.sh',
      'bundle.unexpected a.txt',
      'bundle.path assets/nul',
      'bundle.readme README.md',
    ]);
  });

  it('checks the rest of a bundle whose manifest is missing or broken', () => {
    expect(lines({ 'plugin.json': undefined, 'x.txt': '' })).toEqual([
      'bundle.manifest plugin.json',
      'bundle.unexpected x.txt',
    ]);
    const { issues, manifest } = validateBundle(entries({ 'plugin.json': '{' }), store);
    expect(linesOf(issues)).toEqual(['bundle.manifest.json plugin.json']);
    expect(issues[0]?.message).toContain('line 1, column 2');
    expect(manifest).toBeUndefined();
    expect(lines({ 'plugin.json': '7' })).toEqual(['manifest.not-object ']);
    expect(lines({ 'plugin.json': 'null' })).toEqual(['manifest.not-object ']);
  });

  it('never throws and is deterministic, for any files', () => {
    const name = fc.oneof(
      fc.constantFrom('plugin.json', 'README.md', 'ui/a.js', 'assets/icon.svg'),
      anyText(),
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      nearManifest.map((value) => bytesOf(JSON.stringify(value) ?? '')),
    );
    const property = fc.property(fc.array(fc.tuple(name, content)), (files) => {
      const bundle = new Map(files);
      expect(validateBundle(bundle, store)).toEqual(validateBundle(bundle, store));
    });
    fc.assert(property, { numRuns: runs(300) });
  });
});

it('skipScripts skips only the search for disguised scripts', () => {
  const sample = RULES.find(({ code }) => code === 'bundle.obfuscated')?.example.broken;
  const bundle = exampleEntries({ files: { ...sample?.files, 'ui/run.sh': 'rm -r ~' } });
  const codesOf = (skipScripts: boolean) =>
    validateBundle(bundle, { ...store, skipScripts }).issues.map(({ code }) => code);
  expect(codesOf(false)).toEqual(['bundle.obfuscated', 'bundle.executable']);
  expect(codesOf(true)).toEqual(['bundle.executable']);
});

describe('parseManifest', () => {
  it('parses a manifest, and locates a path in its text', () => {
    const parsed = parseManifest(bytesOf('{\n  "id": "x"\n}'));
    expect(parsed.ok && parsed.value).toEqual({ id: 'x' });
    expect(parsed.ok && parsed.locate('/id')).toEqual({ line: 2, column: 9, length: 3 });
  });

  it('reports the position of a JSON error', () => {
    expect(parseManifest(bytesOf('{"a":1,"a":1}'))).toEqual({
      ok: false,
      issues: [
        {
          code: 'bundle.manifest.json',
          level: 'error',
          path: 'plugin.json',
          message: 'plugin.json is not valid JSON: line 1, column 8: the key "a" is a duplicate.',
        },
      ],
      at: { line: 1, column: 8 },
    });
  });
});

it('hasErrors is true for errors, not for warnings', () => {
  const issue = { code: 'x', path: '', message: '' };
  expect(hasErrors([])).toBe(false);
  expect(hasErrors([{ ...issue, level: 'warning' }])).toBe(false);
  expect(
    hasErrors([
      { ...issue, level: 'warning' },
      { ...issue, level: 'error' },
    ]),
  ).toBe(true);
});

describe('reservedNameIn', () => {
  it('finds the name of the service and the names in the list, also in confusable characters', () => {
    expect(reservedNameIn('Notes by \u0455vc', [])).toBe('svc');
    expect(reservedNameIn('The ACM\u00c9 apps', ['Acme'])).toBe('Acme');
  });

  it('ignores names inside longer words, and empty names', () => {
    expect(reservedNameIn('Svcs and acmes', ['Acme', ''])).toBeNull();
  });
});
