import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..');

/** Ways to skip a test without a reason. Written so that this file does not match. */
const SILENT = /\.(?:skipIf|runIf|todo)\(|\b(?:it|test|describe)\.skip\b|\bskip\(\s*\)/;

it('requires a reason for every skipped test, by needs() or skip() with a text', () => {
  const files = globSync('{apps,examples,packages}/*/test/**/*.test.ts', { cwd: ROOT }).concat(
    globSync('{test,testkit/test}/**/*.test.ts', { cwd: ROOT }),
  );
  expect(files.length).toBeGreaterThan(300);
  const silent = files.filter(
    (file) => !file.endsWith('skip-reasons.test.ts') && SILENT.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(silent).toEqual([]);
});

/** Runs tests with the reporter of the project. */
async function run(tests: string, ...options: string[]) {
  const folder = await tempFolder();
  writeFileSync(
    join(folder, 'some.test.js'),
    `import { beforeAll, describe, it } from '${ROOT}/node_modules/vitest/dist/index.js';\n${tests}`,
  );
  writeFileSync(join(folder, 'vitest.config.js'), "export default { test: { tags: [{ name: 'deep' }] } };");
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporter = join(ROOT, 'scripts/totals-reporter.ts');
  const words = ['run', '--root', folder, '--reporter', reporter, ...options];
  const { stdout, status } = spawnSync(process.execPath, [vitest, ...words], {
    encoding: 'utf8',
    env: bareEnvironment(),
    cwd: folder,
  });
  return { lines: stdout.trim().split('\n'), status };
}

const NEEDS = `{ skip: true, meta: { needs: 'needs a unicorn' } }`;

it('reports why each test was skipped, also those of a group', DEEP, async () => {
  const { lines, status } = await run(`
    describe('a group', ${NEEDS}, () => describe('within', () => it('is not run', () => {})));
    it('alone', ${NEEDS}, () => {});
    it('found out', ({ skip }) => skip(true, 'it is Sunday'));
    it('runs', () => {});`);
  expect(lines).toEqual([
    'skipped: a group > within > is not run: needs a unicorn',
    'skipped: alone: needs a unicorn',
    'skipped: found out: it is Sunday',
    '1 passed, 0 failed, 3 skipped',
  ]);
  expect(status).toBe(0);
});

it(
  'fails a run in which a test is skipped without a reason, but not one that selects other tests',
  DEEP,
  async () => {
    const tests = `it.${'skip'}('silent', () => {}); it('runs', () => {});`;
    const all = await run(tests);
    expect(all.lines.at(-1)).toBe('1 passed, 1 failed, 0 skipped');
    expect(all.status).toBe(1);
    const some = await run(tests, '--testNamePattern', 'runs');
    expect(some.lines.at(-1)).toBe('1 passed, 0 failed, 1 skipped');
    expect(some.status).toBe(0);
  },
);

it('counts a group whose beforeAll fails as a failure', DEEP, async () => {
  const { lines, status } = await run(
    `describe('broken', () => { beforeAll(() => { throw new Error('no'); }); it('waits', () => {}); });`,
  );
  expect(lines.slice(-3)).toEqual([
    'skipped: broken > waits: what its group begins with failed',
    'FAILED: some.test.js > broken: no',
    '0 passed, 1 failed, 1 skipped',
  ]);
  expect(status).toBe(1);
});

it('names each test that failed, with the first line of its error', DEEP, async () => {
  const { lines } = await run(`it('a sum', () => { throw new Error('one\\ntwo'); });`);
  expect(lines.slice(-2)).toEqual(['FAILED: some.test.js > a sum: one', '0 passed, 1 failed, 0 skipped']);
});

it('counts deep tests separately when a run excludes them', DEEP, async () => {
  const tests = `describe('deep', { tags: ['deep'] }, () => it('long', () => {})); it('runs', () => {});`;
  const quick = await run(tests, '--tags-filter', '!deep');
  expect(quick.lines).toEqual(['left to npm run test:deep: 1 tests', '1 passed, 0 failed, 0 skipped']);
  expect(quick.status).toBe(0);
  expect((await run(tests)).lines).toEqual(['2 passed, 0 failed, 0 skipped']);
});
