import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/read-arguments.ts';
import { isEquivalent } from './mutate/equivalent.ts';
import { type Mutant, mutantsOf } from './mutate/mutants.ts';

const STORE_TESTS = 'apps/store/test';

/** The folders in which a missed fault costs most, each with the tests elsewhere that guard what it promises. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'packages/signing/src': [],
  'packages/permissions/src': [],
  'packages/bundle/src': [],
  'packages/runtime/src/accounts': [],
  'packages/runtime/src/install': [],
  'packages/runtime/src/calls': ['packages/runtime/test/connectors/list-served-tools.test.ts'],
  'apps/store/src/access': [
    `${STORE_TESTS}/features/operations/routes.test.ts`,
    `${STORE_TESTS}/features/people/reset-link.test.ts`,
    `${STORE_TESTS}/features/people/scim.test.ts`,
    `${STORE_TESTS}/http/page.test.ts`,
  ],
  'apps/store/src/features/publishing': [
    `${STORE_TESTS}/composition/open-probes.test.ts`,
    `${STORE_TESTS}/domain/identity/suspension.test.ts`,
    `${STORE_TESTS}/domain/listings/look-alikes.test.ts`,
    `${STORE_TESTS}/domain/versions/review-clock.test.ts`,
    `${STORE_TESTS}/features/publishers/lives.test.ts`,
    `${STORE_TESTS}/features/tokens/exchange-id-token.test.ts`,
  ],
  'apps/store/src/features/relay': [],
  'apps/store/src/features/revocations': [],
};

const ROOT = join(import.meta.dirname, '..');

/** A mutant that makes tests wait counts as noticed. */
const TIMEOUT_MS = 120_000;

const USAGE = `usage: npm run mutate -- [FOLDER…] [--sample 10] [--seed 1] [--least 0]

Changes one place of a source after the other, and runs the tests of its folder with each change: a change that no test notices is
listed, with its place. Changes without an effect (tools/mutate/equivalent.ts) are left out. Takes --sample changes of each folder,
the same ones for the same --seed; --sample 0 takes all.
Exits with 1 when the tests fail without a change, or when a folder is below --least percent. Without FOLDER:
${Object.keys(FOLDERS)
  .map((folder) => `  ${folder}`)
  .join('\n')}
`;

type Placed = Mutant & { file: string };

const testsOf = (path: string): string => path.replace(/\/src(?=\/|$)/, '/test').replace(/\.ts$/, '.test.ts');

/** The order of mutants in a sample: by a hash of seed, place and change, so that an edit elsewhere leaves it as it is. */
function orderOf({ file, was, becomes, line }: Placed, seed: number): number {
  let hash = 2_166_136_261 ^ seed;
  for (const letter of `${file} ${line} ${was} ${becomes}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}

const scratch = mkdtempSync(join(tmpdir(), 'svc-mutate-'));

/** Runs tests. @returns whether all passed */
function passes(tests: readonly string[], mutant?: Placed): boolean {
  const hook = pathToFileURL(join(import.meta.dirname, 'mutate', 'with-mutant.mjs')).href;
  const file = join(scratch, 'mutant.ts');
  if (mutant) writeFileSync(file, mutant.text);
  const env = {
    ...process.env,
    SVC_TEST_QUICK: '1',
    ...(mutant && {
      NODE_OPTIONS: `--import ${hook}`,
      SVC_MUTANT: file,
      SVC_MUTANT_OF: pathToFileURL(join(ROOT, mutant.file)).href,
    }),
  };
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--bail',
    '1',
    '--tags-filter',
    '!deep',
    ...['sqlite', 'programs'].flatMap((project) => ['--project', project]),
    ...tests,
  ];
  return spawnSync(process.execPath, args, { cwd: ROOT, env, timeout: TIMEOUT_MS }).status === 0;
}

function mutantsIn(folder: string, sample: number, seed: number): Placed[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).toSorted();
  const all = files.flatMap((file) =>
    mutantsOf(readFileSync(join(ROOT, file), 'utf8')).map((mutant) => ({ ...mutant, file })),
  );
  const effective = all.filter((mutant) => !isEquivalent(mutant));
  if (sample === 0) return effective;
  return effective.toSorted((a, b) => orderOf(a, seed) - orderOf(b, seed)).slice(0, sample);
}

const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 60);

/** Tries the mutants of a folder. @returns the percentage that tests noticed; null when the tests fail as they are */
function scoreOf(folder: string, sample: number, seed: number): number | null {
  const tests = [testsOf(folder), ...(FOLDERS[folder] ?? [])];
  if (!passes(tests)) return null;
  const mutants = mutantsIn(folder, sample, seed);
  const missed = mutants.filter((mutant) => {
    // The test of its file first, which notices most changes in a fraction of the time.
    const nearest = testsOf(mutant.file);
    return (!existsSync(join(ROOT, nearest)) || passes([nearest], mutant)) && passes(tests, mutant);
  });
  for (const { file, line, was, becomes } of missed)
    process.stdout.write(`  missed ${file}:${line}  ${short(was)}  →  ${short(becomes)}\n`);
  const score = Math.round((100 * (mutants.length - missed.length)) / Math.max(1, mutants.length));
  process.stdout.write(`${folder}: ${score} % of ${mutants.length} noticed\n`);
  return score;
}

const number = { type: 'string' } as const;
const { folders, sample, seed, least } = readArguments(
  USAGE,
  { sample: number, seed: number, least: number },
  ({ positionals, values }) => {
    const [wanted, first, bound] = [values.sample ?? '10', values.seed ?? '1', values.least ?? '0'].map(
      Number,
    );
    if (![wanted, first, bound].every((value) => Number.isSafeInteger(value) && Number(value) >= 0))
      throw new Error('--sample, --seed and --least are whole numbers.');
    const absent = positionals.find((folder) => !statSync(join(ROOT, folder), { throwIfNoEntry: false }));
    if (absent !== undefined) throw new Error(`There is no folder ${absent}.`);
    return {
      folders:
        positionals.length > 0
          ? positionals.map((folder) => folder.replace(/\/$/, ''))
          : Object.keys(FOLDERS),
      sample: wanted ?? 0,
      seed: first ?? 0,
      least: bound ?? 0,
    };
  },
);

try {
  for (const folder of folders) {
    const score = scoreOf(folder, sample, seed);
    if (score === null) process.stdout.write(`${folder}: its tests fail without a change\n`);
    if (score === null || score < least) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true });
}
