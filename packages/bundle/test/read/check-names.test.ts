import { describe, expect, test } from 'vitest';
import { foldName } from '../../src/read/check-names.ts';
import { readBundle } from '../../src/read-bundle.ts';
import { expectRefused, zipWith } from '../support/reading.ts';

describe('a name', () => {
  test.each([
    'ui/index.html',
    'assets/icon@2x.png',
    'assets/a b (1).png',
    'a;b',
    ';1a',
    'ui/ünï/日本/😀.png',
    'ui/.hidden',
    'ui/...js',
    'LICENSE',
    'ui/',
    'ui/auxiliary.js',
    'ui/console.js',
    'ui/aux.js',
    'ui/what?.md',
    'ui/a.js:stream',
    '__proto__',
    'ui/constructor',
    'a'.repeat(1023),
    Array(64).fill('a').join('/'),
  ])('may be %j', (name) => {
    expect(readBundle(zipWith({ name }))).toMatchObject({ ok: true });
  });

  test.each([
    ['', /no name/],
    ['/', /no name/],
    ['ui/a.js;1', /semicolon/],
    ['a;', /semicolon/],
    ['a;12/b', /semicolon/],
    ['/etc/passwd', /relative/],
    ['//host/share', /relative/],
    ['C:/evil.js', /drive letter/],
    ['c:evil.js', /drive letter/],
    ['../evil.js', /\. or \.\./],
    ['ui/../../evil.js', /\. or \.\./],
    ['ui/..', /\. or \.\./],
    ['./plugin.json', /not begin with "\.\/": .*\(\*\)/],
    ['ui/./a.js', /\. or \.\./],
    ['../', /\. or \.\./],
    ['ui//a.js', /two slashes/],
    ['ui//', /two slashes/],
    ['ui\\a.js', /backslash.*PowerShell.*svc pack/],
    ['..\\evil.js', /backslash/],
    ['a\0.png', /control/],
    ['a\n.png', /control/],
    ['a\x7f.png', /control/],
    ['a\u0085.png', /control/],
    ['\ufeffplugin.json', /byte order mark/],
    ['ui/e\u0301.png', /normal form C/],
    ['ui/\u212a.js', /normal form C/],
    ['ui/\u1112\u1161\u11ab.js', /normal form C/],
    ['.. /evil.js', /end with a dot or a space/],
    ['plugin.json.', /end with a dot or a space/],
    ['.../a', /end with a dot or a space/],
    ['a'.repeat(1024), /longer than 1023 bytes/],
    [Array(65).fill('a').join('/'), /at most 64 parts/],
  ])('may not be %j', (name, message) => {
    expectRefused(zipWith({ name }), name, message);
  });
});

describe('two names', () => {
  test.each([
    ['ui/a.js', 'ui/b.js'],
    ['ui/', 'ui/a.js'],
    ['ui/a.js', 'ui/'],
    ['ui/a', 'ui/a.js'],
    ['ui/a', 'ui-a'],
  ])('may be %j and %j', (first, second) => {
    expect(readBundle(zipWith({ name: first }, { name: second }))).toMatchObject({ ok: true });
  });

  test.each([
    ['README.md', 'README.md', /Two entries/],
    ['ui/', 'ui/', /Two entries/],
    ['README.md', 'readme.MD', /same path/],
    ['ui/Straße.js', 'ui/STRASSE.js', /same path/],
    ['ui/ſ.js', 'ui/S.js', /same path/],
    ['ui/ς.js', 'ui/Σ.js', /same path/],
    ['ui/\u00e9.png', 'ui/e\u0301.png', /normal form/],
    ['ui/\u00c9.png', 'ui/\u00e9.png', /same path/],
    ['a', 'a/b', /same path/],
    ['a/b', 'a', /same path/],
    ['a', 'a/', /same path/],
    ['a/', 'a', /same path/],
    ['a', 'A/b', /same path/],
    ['ui/x', 'UI/y', /same path/],
    ['ui/', 'UI/', /same path/],
  ])('may not be %j and %j', (first, second, message) => {
    expectRefused(zipWith({ name: first }, { name: second }), second, message);
  });

  test('may not hide a second manifest', () => {
    expectRefused(zipWith({ name: 'plugin.json', content: '{"id":"evil"}' }), 'plugin.json', /Two entries/);
    expectRefused(zipWith({ name: 'Plugin.json', content: '{"id":"evil"}' }), 'Plugin.json', /same path/);
  });
});

test('foldName is idempotent', () => {
  const names = ['Straße', 'ẞ', 'İ', 'ı', 'ΑΣ', 'ﬁ', '\u1e9b\u0323', 'ᾳ', 'ŉ', 'ǰ', '\u0345\u0301'];
  for (const name of names) expect(foldName(foldName(name)), name).toBe(foldName(name));
});
