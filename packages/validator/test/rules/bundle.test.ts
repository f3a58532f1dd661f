import { describe, expect, it } from 'vitest';
import { exampleEntries } from '../../src/example.ts';
import { validateBundle } from '../../src/validate.ts';
import { linesOf } from '../support.ts';

type Files = Readonly<Record<string, string | Uint8Array | undefined>>;
const check = (files: Files) => validateBundle(exampleEntries({ files }), { mode: 'store' }).issues;
const found = (files: Files) => linesOf(check(files));

describe('what may lie in a bundle', () => {
  it('is the manifest, two folders and four texts', () =>
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
  ])('is not %s', (name) => expect(found({ [name]: '' })).toEqual([`bundle.unexpected ${name}`]));

  it('names a folder once, however much lies in it', () => {
    expect(found({ 'src/a.ts': '', 'src/b.ts': '', 'test/a.ts': '' })).toEqual([
      'bundle.unexpected src/a.ts',
      'bundle.unexpected test/a.ts',
    ]);
    expect(check({ 'src/a.ts': '' })[0]?.message).toContain('"src/"');
  });
});

describe('bundle.missing', () => {
  it('suggests the name in other letter case', () => {
    const [issue] = check({ 'assets/icon.svg': undefined, 'assets/Icon.SVG': '<svg/>' });
    expect(issue).toMatchObject({ code: 'bundle.missing', path: '/branding/icon' });
    expect(issue?.message).toBe(
      'The bundle has no file "assets/icon.svg", but "assets/Icon.SVG": letter case counts.',
    );
  });
});

describe('bundle.executable', () => {
  it('goes by name and by content', () => {
    expect(
      found({
        'ui/a.PY': '',
        'assets/b.png': Uint8Array.of(0x7f, 0x45, 0x4c, 0x46),
        'ui/c.js': '#!/usr/bin/env node',
      }),
    ).toEqual(['bundle.executable ui/a.PY', 'bundle.executable assets/b.png', 'bundle.executable ui/c.js']);
  });

  it('says which of the two', () => {
    expect(check({ 'ui/a.sh': '' })[0]?.message).toContain('.sh files are executables');
    expect(check({ 'ui/a': '#!' })[0]?.message).toContain('"#!"');
  });
});

describe('bundle.path', () => {
  it.each(['ui/con', 'assets/a:b', 'ui/a.', 'assets/../x', '/ui/a', 'ui/\u0007'])(
    'objects to %j, and to nothing else about it',
    (name) => expect(found({ [name]: '' })).toEqual([`bundle.path ${name}`]),
  );
});

it('looks for disguised scripts in pages and pictures too, and only warns', () => {
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
