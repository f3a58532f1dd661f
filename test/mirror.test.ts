import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/**
 * `x/test/a/b.test.ts` tests `x/src/a/b.ts` or `.tsx`, and nothing else; `b.part.test.ts` tests a part of it. In an example, the source
 * is in the server or the app; the page of the desktop has its own sources.
 */
const sourcesOf = (test: string): string[] => {
  const own = test.replace('desktop/test/page/', 'desktop/page/test/');
  const at = (folder: string) => own.replace('/test/', `/${folder}/`).replace(/(?:\.[\w-]+)?\.test\.ts$/, '');
  return [`${at('src')}.ts`, `${at('src')}.tsx`, `${at('server')}.ts`, `${at('app')}.js`];
};

it('has a source at the path of each test', () => {
  const tests = globSync('{packages/*,apps/*,examples/*,testkit}/test/**/*.test.ts', { cwd: ROOT });
  expect(tests.length).toBeGreaterThan(10);
  const astray = tests.filter((test) => !sourcesOf(test).some((source) => existsSync(join(ROOT, source))));
  expect(astray).toEqual([]);
});
