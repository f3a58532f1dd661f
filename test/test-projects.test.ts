import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  BOTH_DATABASES_TAG,
  DEEP_PROJECT,
  FEATURES,
  filesOf,
  JOURNEYS,
  PROJECTS,
  SQL_DIFFERS,
  STARTING_PROGRAMS,
} from '../scripts/test-projects.ts';

const ROOT = join(import.meta.dirname, '..');
const ALL = filesOf(['{apps,examples,packages}/*/test/**/*.test.ts', '{test,testkit/test}/**/*.test.ts']);

const OWN = 'test/test-projects.test.ts';

/** The files that a project runs. */
const runBy = (name: string): string[] => {
  const project = PROJECTS.find((one) => one.name === name);
  const without = new Set(filesOf(project?.exclude ?? []));
  return filesOf(project?.include ?? []).filter((file) => !without.has(file));
};

it('runs every test file in at least one project, and in at most one per database', () => {
  expect(ALL.length).toBeGreaterThan(500);
  for (const onPostgres of [true, false]) {
    const files = PROJECTS.filter((one) => one.onPostgres === onPostgres).flatMap(({ name }) => runBy(name));
    expect(files.filter((file, n) => files.indexOf(file) !== n)).toEqual([]);
  }
  const run = new Set(PROJECTS.flatMap(({ name }) => runBy(name)));
  expect(ALL.filter((file) => !run.has(file))).toEqual([]);
});

it('names existing files, each with the reason to run it on PostgreSQL', () => {
  const onPostgres = { ...SQL_DIFFERS, ...JOURNEYS };
  expect(Object.keys(onPostgres).filter((pattern) => filesOf([pattern]).length === 0)).toEqual([]);
  expect(Object.values(onPostgres).filter((why) => why.length < 10)).toEqual([]);
});

it('has a tagged test in each journey for PostgreSQL, and in no other file', () => {
  expect(BOTH_DATABASES.tags).toEqual([BOTH_DATABASES_TAG]);
  const isTagged = (file: string) => /BOTH_DATABASES(?:,|\])/.test(readFileSync(join(ROOT, file), 'utf8'));
  const tagged = ALL.filter((file) => file !== OWN && isTagged(file));
  expect(tagged.sort()).toEqual(filesOf(Object.keys(JOURNEYS)).sort());
});

it('runs a journey of each feature on PostgreSQL at every run, and the rest of its tests in the deep run', () => {
  expect(FEATURES.filter((feature) => !existsSync(join(ROOT, 'apps/store/src', feature)))).toEqual([]);
  const quick = runBy('postgres');
  const rest = runBy(DEEP_PROJECT);
  const without = FEATURES.filter((feature) => !quick.some((file) => file.includes(`/test/${feature}/`)));
  expect(without).toEqual([]);
  const all = filesOf(FEATURES.map((feature) => `apps/store/test/${feature}/**/*.test.ts`));
  expect([...quick, ...rest].filter((file) => all.includes(file)).sort()).toEqual(all.sort());
});

describe('the ring within one process', () => {
  it('leaves out each test that starts a program or a browser, also through what supports it', () => {
    expect(STARTING_PROGRAMS).toContain('apps/store/test/main.test.ts');
    expect(STARTING_PROGRAMS).toContain('apps/web/test/check/page.test.ts');
    expect(STARTING_PROGRAMS).toContain('test/zip-readers.test.ts');
    expect(runBy('sqlite').filter((file) => STARTING_PROGRAMS.includes(file))).toEqual([]);
  });

  it('keeps tests that import only parts of the testkit that start nothing', () => {
    expect(runBy('sqlite')).toContain('packages/signing/test/key-chain.test.ts');
    expect(runBy('sqlite').length).toBeGreaterThan(3 * STARTING_PROGRAMS.length);
  });
});
