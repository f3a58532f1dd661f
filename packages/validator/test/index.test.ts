import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as validator from '../src/index.ts';

const SOURCE = join(import.meta.dirname, '../src');
/** Packages that run in a browser; the bundle reader is imported for its types alone. */
const BROWSER_PACKAGES = [
  '@svc/contracts',
  '@svc/contracts/vocabulary',
  'acorn',
  'saxes',
  'semver/functions/parse.js',
  'tldts',
];

describe('the public entry', () => {
  it('exports what other packages build on', () => {
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
      'reservedNameIn',
      'validateBundle',
      'validateManifest',
    ]);
  });

  it('runs in a browser: nothing of Node is imported, in any file', () => {
    const foreign = new Set<string>();
    for (const file of globSync('**/*.ts', { cwd: SOURCE })) {
      const text = readFileSync(join(SOURCE, file), 'utf8');
      for (const [, names = '', from = ''] of text.matchAll(/^import ([^;]*?) from '([^']+)';/gms)) {
        if (!from.startsWith('.') && !names.startsWith('type ')) foreign.add(from);
      }
      expect(text).not.toMatch(/\b(?:process|Buffer|require)\b[.(]/);
    }
    expect([...foreign].sort()).toEqual(BROWSER_PACKAGES);
  });
});
