import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { PAGE_MODULES, pageModule } from '../../src/page/page-modules.ts';

const SRC = join(import.meta.dirname, '../../src');

/** The imports of a module at run time, relative to the sources. */
async function importsOf(name: string): Promise<string[]> {
  const text = (await pageModule(`${name}.ts`)) ?? '';
  const found = Array.from(
    text.matchAll(/^(?:import|export)\s[^'"]*from '(\.[^']+)\.ts'/gm),
    ([, path = '']) => path,
  );
  return found.map((path) => posix.join(posix.dirname(name), path));
}

it('serves the entry of pages and the modules that it imports, and nothing else', async () => {
  const needed = new Set<string>(['page']);
  for (const name of needed) for (const imported of await importsOf(name)) needed.add(imported);
  expect([...needed].sort()).toEqual([...PAGE_MODULES].sort());
  for (const other of ['open-runtime.ts', '../package.json', 'page/../index.ts', '/etc/passwd', '', 'page'])
    expect(await pageModule(other)).toBeNull();
});

it('removes types when the package runs from its TypeScript sources', async () => {
  expect(await readFile(join(SRC, 'page/client/connect-page.ts'), 'utf8')).toContain('import type');
  expect(await pageModule('page/client/connect-page.js')).not.toContain('import type');
});
