import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as validator from '../src/index.ts';

const SOURCE = join(import.meta.dirname, '../src');
/** Every `import` and `export` with a specifier: of names, of a module alone, and on demand. */
const IMPORT = /^(?:(?:import|export) ([^;]*?) from |import )'([^']+)';|\bimport\('([^']+)'\)/gms;
/** Files that run only in Node.js; `package.json` maps each to a version for browsers. */
const FOR_NODE = /\/node\.ts$/;
/** Packages of which only types are imported: the bundle reader is not part of a page that validates a manifest. */
const TYPES_ONLY = ['@svc/bundle'];
/** Packages that run in a browser. */
const BROWSER_PACKAGES = [
  '#crc32',
  '@svc/contracts',
  '@svc/contracts/this-machine',
  '@svc/contracts/vocabulary',
  '@svc/text',
  'saxes',
  'semver/functions/parse.js',
  'tldts',
];

/** The packages and Node.js modules that a source file imports: those of which it imports only types, and the others. */
function importsIn(text: string) {
  const found = Array.from(text.matchAll(IMPORT), ([, names = '', module, onDemand]) => ({
    from: module ?? onDemand ?? '',
    isTypes: names.startsWith('type '),
  })).filter(({ from }) => !from.startsWith('.'));
  const namesOf = (wanted: boolean) =>
    found.filter(({ isTypes }) => isTypes === wanted).map(({ from }) => from);
  return { types: namesOf(true), others: namesOf(false) };
}

describe('the public entry', () => {
  it('exports exactly the names that other packages use', () => {
    expect(Object.keys(validator).sort()).toEqual([
      'RULES',
      'areAlike',
      'beginningsOf',
      'beginsWith',
      'brandLike',
      'brandOfId',
      'exampleEntries',
      'explain',
      'fixesFor',
      'hasErrors',
      'isCode',
      'kindOf',
      'looksOf',
      'nearest',
      'parseManifest',
      'readPicture',
      'readPixels',
      'reservedNameIn',
      'suggestDomain',
      'validateBundle',
      'validateManifest',
    ]);
  });

  it('runs in a browser: no file imports a Node.js module', () => {
    const [foreign, types] = [new Set<string>(), new Set<string>()];
    const { imports } = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8'));
    expect(Object.values(imports)).toEqual([
      { browser: './src/pictures/crc32/browser.ts', default: './src/pictures/crc32/node.ts' },
    ]);
    for (const file of globSync('**/*.ts', { cwd: SOURCE })) {
      if (FOR_NODE.test(file)) continue;
      const text = readFileSync(join(SOURCE, file), 'utf8');
      const imported = importsIn(text);
      for (const from of imported.types) types.add(from);
      for (const from of imported.others) foreign.add(from);
      expect(text).not.toMatch(/\b(?:process|Buffer|require)\b[.(]/);
    }
    expect([...foreign].sort()).toEqual(BROWSER_PACKAGES);
    expect([...types].filter((from) => !foreign.has(from))).toEqual(TYPES_ONLY);
  });
});
