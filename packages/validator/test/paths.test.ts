import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extensionOf, isBundlePath, tidyPath, unsafePathReason } from '../src/paths.ts';

describe('isBundlePath', () => {
  it.each(['icon.svg', 'assets/icon.svg', 'a b/ü.png', '...', 'a/..b', '%2e%2e/a'])('accepts %s', (path) =>
    expect(isBundlePath(path)).toBe(true),
  );
  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    './a',
    'a/.',
    '..',
    '../a',
    'a/../b',
    'a\\b',
    '..\\a',
    'https://x/y',
    'a\u0000',
    'a\n/../b',
    '\u202egpj',
    7,
    null,
  ])('refuses %j', (path) => expect(isBundlePath(path)).toBe(false));
});

describe('tidyPath', () => {
  const entries = new Map([['assets/x.png', new Uint8Array()]]);

  it.each(['./assets/x.png', '/assets/x.png', 'assets\\x.png', '.\\assets\\x.png', '././assets/x.png'])(
    'reads %s as a bundle path',
    (path) => {
      expect(tidyPath(path)).toBe('assets/x.png');
      expect(tidyPath(path, entries)).toBe('assets/x.png');
    },
  );

  it('returns nothing if the file is missing', () =>
    expect(tidyPath('./assets/y.png', entries)).toBeUndefined());

  it.each([
    'assets/x.png',
    '',
    '/',
    './',
    '//cdn.example.com/x.png',
    '\\\\server\\x.png',
    'https://example.com/x.png',
    'C:\\x.png',
    '/C:/x.png',
    '../x.png',
    './../x.png',
    '/a/../x.png',
    './a\u0000',
    7,
    null,
    undefined,
  ])('returns nothing for %j', (path) => expect(tidyPath(path)).toBeUndefined());

  it('returns either another path that is a bundle path, or nothing', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ':', '\u202e') }), (path) => {
        const tidy = tidyPath(path);
        expect(tidy === undefined || (tidy !== path && isBundlePath(tidy))).toBe(true);
      }),
    ));
});

describe('unsafePathReason', () => {
  it.each([
    'ui/index.html',
    'LICENSE',
    'assets/conan.png',
    'assets/com10.txt',
    'assets/.well-known',
    'ü.txt',
    `${'a'.repeat(255)}`,
  ])('accepts %s', (name) => expect(unsafePathReason(name)).toBeUndefined());
  it.each([
    'CON',
    'ui/nul',
    'ui/Aux.txt',
    'ui/com1.tar.gz',
    'ui/LPT9',
    'ui/com¹',
    'ui/con .txt',
    'nul/a.txt',
    'a<b',
    'a>b',
    'a:b',
    'a"b',
    'a|b',
    'a?b',
    'a*b',
    'a\\b',
    'C:/a',
    'a.',
    'a ',
    'a./b',
    'a\tb',
    'a\u007f',
    'a\u0085',
    'exe.\u202egpj',
    '/etc/passwd',
    '../a',
    'a/../b',
    'a//b',
    './a',
    'a/',
    '',
    'a'.repeat(256),
    'ü'.repeat(128),
  ])('refuses %j', (name) => expect(unsafePathReason(name)).toEqual(expect.any(String)));
});

it('extensionOf returns the last extension of the file, never one of a folder', () => {
  expect(extensionOf('a/b.tar.GZ')).toBe('gz');
  expect(extensionOf('a.b/c')).toBe('');
  expect(extensionOf('.node')).toBe('node');
});
