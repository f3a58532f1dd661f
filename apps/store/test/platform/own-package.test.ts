import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHILD_PROGRAMS, type PARTS, partFolder, programFile } from '../../src/platform/own-package.ts';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

it('CHILD_PROGRAMS lists every worker and process of the store', () => {
  const all = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const apart = all.filter((file) => /-(?:worker|process)\.ts$/.test(file)).map((file) => join('src', file));
  expect(Object.values(CHILD_PROGRAMS).toSorted()).toEqual(apart.toSorted());
  for (const name of Object.keys(CHILD_PROGRAMS) as (keyof typeof CHILD_PROGRAMS)[])
    expect([name, existsSync(programFile(name))]).toEqual([name, true]);
});

it('partFolder finds the folders that need no build', () => {
  for (const name of ['static', 'ui', 'docs'] satisfies (keyof typeof PARTS)[])
    expect([name, existsSync(partFolder(name))]).toEqual([name, true]);
});
