import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEEP_PROJECT, FEATURES, filesOf, ON_POSTGRES, PROJECTS } from '../scripts/test-projects.ts';

const ROOT = join(import.meta.dirname, '..');
const ALL = filesOf(['{apps,examples,packages}/*/test/**/*.test.ts', '{test,testkit/test}/**/*.test.ts']);

/** The files that a project runs. */
const runBy = (name: string): string[] => {
  const project = PROJECTS.find((one) => one.name === name);
  const without = new Set(filesOf(project?.exclude ?? []));
  return filesOf(project?.include ?? []).filter((file) => !without.has(file));
};

it('runs every test file in one project at least, and in one on each database at most', () => {
  expect(ALL.length).toBeGreaterThan(500);
  for (const onPostgres of [true, false]) {
    const files = PROJECTS.filter((one) => one.onPostgres === onPostgres).flatMap(({ name }) => runBy(name));
    expect(files.filter((file, n) => files.indexOf(file) !== n)).toEqual([]);
  }
  const run = new Set(PROJECTS.flatMap(({ name }) => runBy(name)));
  expect(ALL.filter((file) => !run.has(file))).toEqual([]);
});

it('names files that are there, each with why PostgreSQL can differ', () => {
  const gone = Object.keys(ON_POSTGRES).filter((pattern) => filesOf([pattern]).length === 0);
  expect(gone).toEqual([]);
  expect(Object.values(ON_POSTGRES).filter((why) => why.length < 10)).toEqual([]);
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
