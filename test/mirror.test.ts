import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** `x/test/a/b.test.ts` tests `x/src/a/b.ts` or `.tsx`, and nothing else; the page of the desktop has sources of its own. */
const sourcesOf = (test: string): string[] => {
  const source = test
    .replace('desktop/test/page/', 'desktop/page/src/')
    .replace('/test/', '/src/')
    .replace(/\.test\.ts$/, '');
  return [`${source}.ts`, `${source}.tsx`];
};

it('has each test where its source is', () => {
  const tests = globSync('{packages/*,apps/*,testkit}/test/**/*.test.ts', { cwd: ROOT });
  expect(tests.length).toBeGreaterThan(10);
  const astray = tests.filter((test) => !sourcesOf(test).some((source) => existsSync(join(ROOT, source))));
  expect(astray).toEqual([]);
});
