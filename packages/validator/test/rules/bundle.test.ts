import { describe, expect, it } from 'vitest';
import { EXAMPLE_MANIFEST, exampleEntries } from '../../src/example.ts';
import { EXECUTABLE_EXTENSIONS, executableReason } from '../../src/rules/bundle.ts';
import { fixesFor, validateBundle } from '../../src/validate.ts';
import { bytesOf, linesOf } from '../support.ts';

type Files = Readonly<Record<string, string | Uint8Array | undefined>>;
const check = (files: Files) => validateBundle(exampleEntries({ files }), { mode: 'store' }).issues;
const found = (files: Files) => linesOf(check(files));

describe('a file of a bundle', () => {
  it('may be the manifest, one of four texts, or in ui or assets', () =>
    expect(
      found({ 'CHANGELOG.md': '', LICENSE: '', 'LICENSE.md': '', 'ui/a/b/c.css': '', 'assets/x': '' }),
    ).toEqual([]));

  it.each([
    'index.html',
    'readme.md',
    'UI/a.html',
    'license',
    'LICENSE/x',
    'README.md/x',
    'src/a.ts',
    '.env',
    'ui',
    'assets',
  ])('may not be %s', (name) => expect(found({ [name]: '' })).toEqual([`bundle.unexpected ${name}`]));

  it('is reported once for each folder', () => {
    expect(found({ 'src/a.ts': '', 'src/b.ts': '', 'test/a.ts': '' })).toEqual([
      'bundle.unexpected src/a.ts',
      'bundle.unexpected test/a.ts',
    ]);
    expect(check({ 'src/a.ts': '' })[0]?.message).toContain('"src/"');
  });

  it.each([
    ['readme.md', 'README.md'],
    ['README.rst', 'README.md'],
    ['Changelog.md', 'CHANGELOG.md'],
    ['HISTORY.md', 'CHANGELOG.md'],
    ['LICENSE.txt', 'LICENSE'],
    ['Plugin.json', 'plugin.json'],
    ['plugin.json.txt', 'plugin.json'],
    ['asset/a.png', 'assets/'],
  ])('names the allowed name that was meant: %s', (name, meant) =>
    expect(check({ [name]: '' })[0]?.message).toMatch(`Did you mean "${meant}"?`),
  );
});

describe('bundle.manifest', () => {
  it.each([
    ['boards/plugin.json', /but "boards\/plugin\.json": pack the folder's contents/],
    ['boards-1.0.0.svc-app', /but the zip "boards-1\.0\.0\.svc-app": upload that file/],
    ['ui/a/plugin.json', /of the bundle: pack the folder's contents/],
  ])('says where the manifest may be: %s', (name, message) => {
    const found = check({ [name]: '{}', 'plugin.json': undefined });
    expect(found.find(({ code }) => code === 'bundle.manifest')?.message).toMatch(message);
  });
});

describe('bundle.missing', () => {
  const messageFor = (name: string, others: readonly string[] = []) => {
    const sample = {
      manifest: { branding: { icon: 'assets/icon.svg', mark: name } },
      files: Object.fromEntries(others.map((other) => [other, ''])),
    };
    const { issues } = validateBundle(exampleEntries(sample), { mode: 'store' });
    return issues.find(({ path }) => path === '/branding/mark')?.message;
  };

  it('suggests the only file with a similar name', () => {
    expect(messageFor('assets/icno.svg')).toMatch(/correct the path\. Did you mean "assets\/icon\.svg"\?$/);
    expect(messageFor('assets/mark.svg', ['assets/mark1.svg', 'assets/mark2.svg'])).toMatch(/the path\.$/);
    expect(messageFor('assets/logo.svg')).toMatch(/the path\.$/);
    expect(messageFor('assets/mark.svg', ['assets/mar\u202e.svg'])).toContain(
      'Did you mean "assets/mar\\u202e.svg"?',
    );
  });

  it('is fixed when only the letter case of a path in the manifest is wrong', () => {
    const fixesOf = (manifest: object, files: Files = {}) =>
      fixesFor({ ...EXAMPLE_MANIFEST, ...manifest }, { mode: 'store', entries: exampleEntries({ files }) });
    expect(fixesOf({ branding: { icon: 'Assets/icon.SVG' } })).toEqual([
      { code: 'bundle.missing', path: '/branding/icon', change: { put: 'assets/icon.svg' } },
    ]);
    expect(fixesOf({ branding: { icon: 'assets/gru\u0308n.svg' } }, { 'assets/gr\u00fcn.svg': '' })).toEqual([
      { code: 'bundle.missing', path: '/branding/icon', change: { put: 'assets/gr\u00fcn.svg' } },
    ]);
    expect(fixesOf({ branding: { icon: 'Assets/icon.SVG' } }, { 'assets/Icon.svg': '' })).toEqual([]);
    expect(fixesOf({ branding: { icon: 'assets/icno.svg' } })).toEqual([]);
    const panels = [{ id: 'a', title: 'A', component: 'webview' }];
    expect(fixesOf({ contributes: { panels } }, { 'ui/index.html': undefined, 'ui/Index.html': '' })).toEqual(
      [],
    );
  });

  it('suggests the file name in another letter case', () => {
    const [issue] = check({ 'assets/icon.svg': undefined, 'assets/Icon.SVG': '<svg/>' });
    expect(issue).toMatchObject({ code: 'bundle.missing', path: '/branding/icon' });
    expect(issue?.message).toBe(
      'The bundle has no file "assets/icon.svg", but has "assets/Icon.SVG": file names are case-sensitive.',
    );
  });
});

describe('bundle.executable', () => {
  it('checks both the name and the content', () => {
    expect(
      found({
        'ui/a.PY': '',
        'assets/b.png': Uint8Array.of(0x7f, 0x45, 0x4c, 0x46),
        'ui/c.js': '#!/usr/bin/env node',
      }),
    ).toEqual(['bundle.executable ui/a.PY', 'bundle.executable assets/b.png', 'bundle.executable ui/c.js']);
  });

  it('says whether the name or the content is the reason', () => {
    expect(check({ 'ui/a.sh': '' })[0]?.message).toContain('.sh files are executables');
    expect(check({ 'ui/a': '#!' })[0]?.message).toContain('"#!"');
  });
});

describe('bundle.path', () => {
  it.each(['ui/con', 'assets/a:b', 'ui/a.', 'assets/../x', '/ui/a', 'ui/\u0007'])(
    'is the only finding for %j',
    (name) => expect(found({ [name]: '' })).toEqual([`bundle.path ${name}`]),
  );
});

it('warns about disguised scripts in HTML pages and script files, but not in other files', () => {
  const script = 'eval(atob("YQ=="))';
  const issues = check({
    'ui/a.html': `<script>${script}</script>`,
    'assets/b.mjs': script,
    'assets/c.md': script,
  });
  expect(issues.map(({ code, level, path }) => [code, level, path])).toEqual([
    ['bundle.obfuscated', 'warning', 'ui/a.html'],
    ['bundle.obfuscated', 'warning', 'assets/b.mjs'],
  ]);
});

const file = (name: string, ...bytes: number[]) => ({ name, bytes: Uint8Array.from(bytes) });

describe('executableReason', () => {
  it.each([...EXECUTABLE_EXTENSIONS])('recognises .%s in any letter case', (extension) => {
    expect(executableReason(file(`assets/x.${extension}`))).toBeDefined();
    expect(executableReason(file(`assets/x.txt.${extension.toUpperCase()}`))).toBeDefined();
    expect(executableReason(file(`assets/x${extension}`))).toBeUndefined();
  });

  it.each([
    [0x7f, 0x45, 0x4c, 0x46],
    [0xfe, 0xed, 0xfa, 0xce],
    [0xfe, 0xed, 0xfa, 0xcf],
    [0xce, 0xfa, 0xed, 0xfe],
    [0xcf, 0xfa, 0xed, 0xfe],
    [0xca, 0xfe, 0xba, 0xbe],
    [0xca, 0xfe, 0xba, 0xbf],
    [0xbe, 0xba, 0xfe, 0xca],
    [0x4d, 0x5a, 0x90, 0x00],
    [0x23, 0x21, 0x2f],
  ])('recognises the first bytes %i %i %i in a file with a harmless name', (...bytes) => {
    expect(executableReason(file('assets/logo.png', ...bytes, 0, 0))).toBeDefined();
  });

  it('reads the bytes of a view, not of the buffer behind it', () => {
    const bytes = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3, 4]).subarray(4);
    expect(executableReason({ name: 'a.bin', bytes })).toBeUndefined();
  });

  it('accepts text, images, WebAssembly and short files', () => {
    expect(executableReason({ name: 'README.md', bytes: bytesOf('MZ is how it begins.') })).toBeUndefined();
    expect(executableReason(file('a.png', 0x89, 0x50, 0x4e, 0x47))).toBeUndefined();
    expect(executableReason(file('a.wasm', 0, 0x61, 0x73, 0x6d))).toBeUndefined();
    expect(executableReason(file('a', 0x7f, 0x45))).toBeUndefined();
    expect(executableReason(file('a'))).toBeUndefined();
  });

  it('recognises programs that are folders', () =>
    expect(executableReason(file('assets/Evil.app/Contents/Info.plist'))).toBeDefined());
});
