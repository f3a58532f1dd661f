import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/read-arguments.ts';
import { covers, readCoverage } from './mutate/coverage.ts';
import { isEquivalent } from './mutate/equivalent.ts';
import { type Mutant, mutantsOf } from './mutate/mutants.ts';
import { refusedByTypes } from './mutate/types.ts';

const STORE_TESTS = 'apps/store/test';

/** The folders in which a missed fault costs most, each with the tests elsewhere that guard what it promises. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'packages/signing/src': [],
  'packages/permissions/src': [],
  'packages/bundle/src': [],
  'packages/runtime/src/accounts': [],
  'packages/runtime/src/install': ['packages/runtime/test/library/loopback.test.ts'],
  'packages/runtime/src/calls': ['packages/runtime/test/connectors/list-served-tools.test.ts'],
  'packages/runtime/src/revocations': [],
  'apps/store/src/core/access': [
    `${STORE_TESTS}/composition/extensions.test.ts`,
    `${STORE_TESTS}/core/catalog/answer-from-memory.test.ts`,
    `${STORE_TESTS}/core/catalog/browse.test.ts`,
    `${STORE_TESTS}/core/operations/routes.test.ts`,
    `${STORE_TESTS}/core/people/reset-link.test.ts`,
    `${STORE_TESTS}/extensions/scim/provision.test.ts`,
    `${STORE_TESTS}/http/page.test.ts`,
    `${STORE_TESTS}/http/send-blob.test.ts`,
  ],
  'apps/store/src/core/publishing': [
    `${STORE_TESTS}/composition/open-parts.test.ts`,
    `${STORE_TESTS}/core/domain/identity/suspension.test.ts`,
    `${STORE_TESTS}/core/domain/listings/store-warnings.test.ts`,
    `${STORE_TESTS}/core/domain/versions/review-clock.test.ts`,
    `${STORE_TESTS}/extensions/appeals/appeal.test.ts`,
    `${STORE_TESTS}/extensions/emergencies/act.test.ts`,
    `${STORE_TESTS}/core/publishers/lives.test.ts`,
    `${STORE_TESTS}/core/revocations/routes.test.ts`,
    `${STORE_TESTS}/extensions/ci/exchange-id-token.test.ts`,
  ],
  'apps/store/src/core/moderation': [
    `${STORE_TESTS}/core/domain/decisions/two-persons.test.ts`,
    `${STORE_TESTS}/core/domain/listings/store-warnings.test.ts`,
  ],
  'apps/store/src/core/relay': [],
  'apps/store/src/core/revocations': [],
};

const ROOT = join(import.meta.dirname, '..');

/** Reads a source from another file, and writes what was executed. */
const HOOK = pathToFileURL(join(import.meta.dirname, 'mutate', 'with-mutant.mjs')).href;

/** A mutant that makes tests wait counts as noticed, and is listed: on a busy machine the tests may only be slow. */
const TIMEOUT_MS = 240_000;

const USAGE = `usage: npm run mutate -- [FOLDER…] [--removals] [--sample 10] [--seed 1] [--least 0] [--jobs 1]

Changes one place of a source after the other, and runs those tests of its folder that reach the place: a change that no test notices is
listed, with its place. Changes without an effect (tools/mutate/equivalent.ts) are left out. Takes --sample changes of each folder,
the same ones for the same --seed; --sample 0 takes all. With --removals the changes are others: each operand of a condition, each field of
what is returned and each filter of a query or list is taken away; what the types refuse is noticed, without a test. Tries --jobs of
them at once.
Exits with 1 when the tests fail without a change, or when a folder is below --least percent. Without FOLDER:
${Object.keys(FOLDERS)
  .map((folder) => `  ${folder}`)
  .join('\n')}
`;

type Placed = Mutant & { file: string };
type Coverage = Awaited<ReturnType<typeof readCoverage>>;

const testsOf = (path: string): string => path.replace(/\/src(?=\/|$)/, '/test').replace(/\.ts$/, '.test.ts');

/** The order of mutants in a sample: by a hash of seed, place and change, so that an edit elsewhere leaves it as it is. */
function orderOf({ file, was, becomes, line }: Placed, seed: number): number {
  let hash = 2_166_136_261 ^ seed;
  for (const letter of `${file} ${line} ${was} ${becomes}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}

const scratch = mkdtempSync(join(tmpdir(), 'svc-mutate-'));

/** Runs tests with these variables. */
function run(tests: readonly string[], variables: NodeJS.ProcessEnv): Promise<'passed' | 'failed' | 'late'> {
  const env = { ...process.env, SVC_TEST_QUICK: '1', NODE_OPTIONS: `--import ${HOOK}`, ...variables };
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const projects = ['sqlite', 'programs'].flatMap((project) => ['--project', project]);
  // Most of a short run imports modules: one worker imports them once for all files.
  const args = [
    vitest,
    'run',
    '--bail',
    '1',
    '--maxWorkers',
    '1',
    '--tags-filter',
    '!deep',
    ...projects,
    ...tests,
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env, timeout: TIMEOUT_MS }, (error) =>
      resolve(error ? (error.killed ? 'late' : 'failed') : 'passed'),
    );
  });
}

const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 60);

const say = (what: 'missed' | 'late', { file, line, was, becomes }: Placed): void =>
  void process.stdout.write(`  ${what} ${file}:${line}  ${short(was)}  →  ${short(becomes)}\n`);

/** Runs tests with a mutant. @returns whether all passed */
async function passes(tests: readonly string[], mutant: Placed): Promise<boolean> {
  const file = join(scratch, `${randomUUID()}.ts`);
  writeFileSync(file, mutant.text);
  const result = await run(tests, {
    SVC_MUTANT: file,
    SVC_MUTANT_OF: urlOf(mutant.file),
    // Not while coverage is measured, which is less precise for code from the cache.
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  });
  rmSync(file);
  if (result === 'late') say('late', mutant);
  return result === 'passed';
}

const urlOf = (file: string): string => pathToFileURL(join(ROOT, file)).href;

/** What each test file executes of a folder's sources; null when one fails. */
async function coverageOf(tests: readonly string[], sources: ReadonlySet<string>, jobs: number) {
  const covered = new Map<string, Coverage>();
  const passed = await inParallel(jobs, tests, async (test) => {
    const folder = mkdtempSync(join(scratch, 'coverage-'));
    const result = await run([test], { NODE_V8_COVERAGE: folder });
    covered.set(test, await readCoverage(folder, urlOf(test), sources));
    rmSync(folder, { recursive: true });
    return result === 'passed';
  });
  const failing = tests.filter((_test, index) => !passed[index]);
  if (failing.length > 0) process.stdout.write(`failing without a change: ${failing.join(', ')}\n`);
  return failing.length > 0 ? null : covered;
}

/** Calls a function for each value, at most `jobs` at once. */
async function inParallel<T, R>(jobs: number, values: readonly T[], call: (value: T) => Promise<R>) {
  const results: R[] = [];
  const rest = values.entries();
  const work = async () => {
    for (const [index, value] of rest) results[index] = await call(value);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

function mutantsIn(folder: string, sample: number, seed: number): Placed[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).toSorted();
  const all = files.flatMap((file) =>
    mutantsOf(readFileSync(join(ROOT, file), 'utf8'), { removals }).map((mutant) => ({ ...mutant, file })),
  );
  const effective = all.filter((mutant) => !isEquivalent(mutant));
  if (sample === 0) return effective;
  return effective.toSorted((a, b) => orderOf(a, seed) - orderOf(b, seed)).slice(0, sample);
}

/** Tries the mutants of a folder. @returns the percentage that tests noticed; null when the tests fail as they are */
async function scoreOf(folder: string, sample: number, seed: number, jobs: number): Promise<number | null> {
  const places = [testsOf(folder), ...(FOLDERS[folder] ?? [])];
  const tests = places.flatMap((place) =>
    place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.test.ts`, { cwd: ROOT }),
  );
  const mutants = mutantsIn(folder, sample, seed);
  const coverage = await coverageOf(tests, new Set(mutants.map(({ file }) => urlOf(file))), jobs);
  if (!coverage) return null;
  // Only removals are often refused by the types: to ask costs as much as a test.
  const byTypes = removals ? refusedByTypes(ROOT, mutants) : new Set();
  const tried = mutants.filter((mutant) => !byTypes.has(mutant));
  const noticed = await inParallel(jobs, tried, async (mutant) => {
    const reach = tests.filter((test) => covers(coverage.get(test) ?? null, urlOf(mutant.file), mutant.runs));
    // What no file reached may run in a program. The test of its file first, which notices most changes in a fraction of the time.
    const others = reach.length > 0 ? reach : tests;
    const nearest = others.filter((test) => test === testsOf(mutant.file));
    if (nearest.length > 0 && !(await passes(nearest, mutant))) return true;
    const rest = others.filter((test) => !nearest.includes(test));
    if (rest.length > 0 && !(await passes(rest, mutant))) return true;
    say('missed', mutant);
    return false;
  });
  const count = byTypes.size + noticed.filter(Boolean).length;
  const score = Math.round((100 * count) / Math.max(1, mutants.length));
  const how = removals ? `, ${byTypes.size} of them by types` : '';
  process.stdout.write(`${folder}: ${score} % of ${mutants.length} noticed${how}\n`);
  return score;
}

const number = { type: 'string' } as const;
const { folders, sample, seed, least, jobs, removals } = readArguments(
  USAGE,
  { removals: { type: 'boolean' }, sample: number, seed: number, least: number, jobs: number },
  ({ positionals, values }) => {
    const whole = (name: 'sample' | 'seed' | 'least' | 'jobs', otherwise: number): number => {
      const value = Number(values[name] ?? otherwise);
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} is a whole number.`);
      return value;
    };
    const absent = positionals.find((folder) => !statSync(join(ROOT, folder), { throwIfNoEntry: false }));
    if (absent !== undefined) throw new Error(`There is no folder ${absent}.`);
    return {
      folders:
        positionals.length > 0
          ? positionals.map((folder) => folder.replace(/\/$/, ''))
          : Object.keys(FOLDERS),
      sample: whole('sample', 10),
      seed: whole('seed', 1),
      least: whole('least', 0),
      jobs: Math.max(1, whole('jobs', 1)),
      removals: values.removals ?? false,
    };
  },
);

try {
  for (const folder of folders) {
    const score = await scoreOf(folder, sample, seed, jobs);
    if (score === null || score < least) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true });
}
