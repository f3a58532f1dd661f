import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';

const manifest: { imports: { '#deflate': { browser: string } } } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Every import specifier that a browser bundler follows, starting from a source file. */
function specifiersFrom(file: URL, met = new Map<string, string[]>()): Map<string, string[]> {
  if (met.has(file.href)) return met;
  const source = readFileSync(file, 'utf8');
  const specifiers = [...source.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gms)].map(
    (match) => match[1] ?? '',
  );
  met.set(file.href, specifiers);
  for (const specifier of specifiers) {
    if (specifier.startsWith('.')) specifiersFrom(new URL(specifier, file), met);
    if (specifier === '#deflate') {
      specifiersFrom(new URL(`../${manifest.imports['#deflate'].browser}`, import.meta.url), met);
    }
  }
  return met;
}

test('exports the reader and the packer', () => {
  expect(Object.keys(entry).sort()).toEqual(['directoryBytes', 'openBundle', 'packBundle', 'readBundle']);
});

test('imports no Node.js module in a browser', () => {
  const met = specifiersFrom(new URL('../src/index.ts', import.meta.url));
  const outside = new Set([...met.values()].flat().filter((specifier) => !specifier.startsWith('.')));
  expect([...outside].sort()).toEqual([
    '#deflate',
    '@svc/contracts',
    '@svc/contracts/vocabulary',
    '@svc/text',
    'fflate',
    'pako',
  ]);
  expect([...met.keys()].some((file) => file.endsWith('/deflate/browser.ts'))).toBe(true);
  expect([...met.keys()].some((file) => file.endsWith('/deflate/node.ts'))).toBe(false);
});
