import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as validator from '../src/index.ts';

const SOURCE = join(import.meta.dirname, '../src');
/** Files that run only in Node.js; `package.json` maps each to a version for browsers. */
const FOR_NODE = /\/node\.ts$/;
/** Packages that run in a browser; only the types of the bundle reader are imported. */
const BROWSER_PACKAGES = [
  '#crc32',
  '@svc/contracts',
  '@svc/contracts/vocabulary',
  '@svc/text',
  'acorn',
  'saxes',
  'semver/functions/parse.js',
  'tldts',
];

describe('the public entry', () => {
  it('exports exactly the names that other packages use', () => {
    expect(Object.keys(validator).sort()).toEqual([
      'RULES',
      'exampleEntries',
      'explain',
      'fixesFor',
      'hasErrors',
      'isCode',
      'kindOf',
      'nearest',
      'parseManifest',
      'readPixels',
      'reservedNameIn',
      'validateBundle',
      'validateManifest',
    ]);
  });

  it('runs in a browser: no file imports a Node.js module', () => {
    const foreign = new Set<string>();
    const { imports } = JSON.parse(readFileSync(join(SOURCE, '../package.json'), 'utf8'));
    expect(Object.values(imports)).toEqual([
      { browser: './src/pictures/crc32/browser.ts', default: './src/pictures/crc32/node.ts' },
    ]);
    for (const file of globSync('**/*.ts', { cwd: SOURCE })) {
      if (FOR_NODE.test(file)) continue;
      const text = readFileSync(join(SOURCE, file), 'utf8');
      for (const [, names = '', from = ''] of text.matchAll(/^import ([^;]*?) from '([^']+)';/gms)) {
        if (!from.startsWith('.') && !names.startsWith('type ')) foreign.add(from);
      }
      expect(text).not.toMatch(/\b(?:process|Buffer|require)\b[.(]/);
    }
    expect([...foreign].sort()).toEqual(BROWSER_PACKAGES);
  });
});
