import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { obfuscationOf, reasonsFor } from '../packages/validator/src/obfuscation.ts';
import { KIN, obfuscate, SETTINGS } from '../packages/validator/test/disguises.ts';
import { folderOf, readArguments } from './lib/read-arguments.ts';

const SMALLEST_LIBRARY = 1_000;
/** Size ranges of the sources to obfuscate in bytes, and how many sources of each. */
const SIZES = [
  [300, 700, 14],
  [700, 2_000, 14],
  [2_000, 6_000, 12],
  [6_000, 20_000, 12],
  [20_000, 60_000, 6],
  [60_000, 200_000, 4],
] as const;
/** Minified script has long lines. */
const MAX_LINE = 60;
/** Above this size, a source is obfuscated with every eighth setting only: some take a minute. */
const LARGE = 20_000;
/** Shorter output has too little code to judge. */
const MIN_OUTPUT = 500;
/** Examples printed of each kind. */
const MAX_EXAMPLES = 20;

type Rate = { seen: number; flagged: number };
type Half = 'tuned' | 'held out';

/** The half of a library, by its folder, so that versions and variants of one library stay together. */
const halfOf = (name: string): Half =>
  (createHash('sha256').update(name.split('/').slice(0, 2).join('/')).digest()[0] ?? 0) % 2 === 0
    ? 'tuned'
    : 'held out';

function count(rates: Map<string, Rate>, key: string, isFlagged: boolean): void {
  const rate = rates.get(key) ?? { seen: 0, flagged: 0 };
  rates.set(key, { seen: rate.seen + 1, flagged: rate.flagged + Number(isFlagged) });
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function print(title: string, rates: Map<string, Rate>): void {
  say(`\n${title}`);
  for (const [key, { seen, flagged }] of [...rates].sort(([one], [other]) => (one < other ? -1 : 1))) {
    say(`  ${key}: ${flagged} of ${seen} (${((100 * flagged) / seen).toFixed(2)} %)`);
  }
}

/** Measures how many libraries are flagged, and the time of the check. */
function measureLibraries(folder: string, names: readonly string[]): void {
  const rates = new Map<string, Rate>();
  const flagged: string[] = [];
  const total = { bytes: 0, milliseconds: 0 };
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    const start = performance.now();
    const score = obfuscationOf({ name, bytes });
    total.milliseconds += performance.now() - start;
    total.bytes += bytes.length;
    count(rates, halfOf(name), score !== undefined);
    if (score !== undefined) flagged.push(`  ${score.points} ${name}: ${reasonsFor(score)}`);
  }
  print('Libraries flagged', rates);
  say(flagged.slice(0, MAX_EXAMPLES).join('\n'));
  const mebibytes = total.bytes / 2 ** 20;
  say(`  ${mebibytes.toFixed(0)} MiB, ${(total.milliseconds / mebibytes).toFixed(1)} ms a MiB`);
}

/** A stable selection of hand-written sources of all sizes. */
function sourcesIn(folder: string, names: readonly string[]): string[] {
  const shuffled = names
    .map((name) => ({ name, order: createHash('sha256').update(name).digest('hex') }))
    .sort((one, other) => (one.order < other.order ? -1 : 1));
  const selected: string[] = [];
  for (const [from, to, maxCount] of SIZES) {
    let remaining: number = maxCount;
    for (const { name } of shuffled) {
      if (remaining === 0) break;
      const text = readFileSync(join(folder, name), 'utf8');
      if (text.length < from || text.length >= to || text.length / text.split('\n').length > MAX_LINE)
        continue;
      // Skip sources that the obfuscator cannot parse.
      if (disguised('short names alone', text, 1) === undefined) continue;
      selected.push(name);
      remaining -= 1;
    }
  }
  return selected;
}

function disguised(setting: string, text: string, seed: number): string | undefined {
  try {
    return obfuscate(text.replace(/^#!.*/, ''), setting, seed);
  } catch {
    return undefined;
  }
}

/** Measures how much obfuscated code is detected. */
function measureDisguises(folder: string, sources: readonly string[]): void {
  const byHalf = new Map<string, Rate>();
  const byWay = new Map<string, Rate>();
  const missed: string[] = [];
  const check = (way: string, name: string, output: string | undefined): void => {
    if (output === undefined || output.length <= MIN_OUTPUT) return;
    const isDetected = obfuscationOf({ name: 'a.js', bytes: new TextEncoder().encode(output) }) !== undefined;
    count(byHalf, halfOf(name), isDetected);
    count(byWay, way, isDetected);
    if (!isDetected) missed.push(`  ${way}, ${output.length} characters: ${name}`);
  };
  sources.forEach((name, at) => {
    const text = readFileSync(join(folder, name), 'utf8');
    Object.keys(SETTINGS).forEach((setting, way) => {
      if (text.length < LARGE || (way + at) % 8 === 0) check(setting, name, disguised(setting, text, at + 1));
    });
    if (text.length < LARGE)
      for (const [way, disguise] of Object.entries(KIN)) check(way, name, disguise(text));
  });
  print('Obfuscated files detected', byHalf);
  print('Obfuscated files detected, by setting', byWay);
  say(`\nMissed\n${missed.slice(0, MAX_EXAMPLES).join('\n')}`);
}

const usageError = (line: string): void => {
  process.stderr.write(`${line}\n`);
  process.exitCode = 2;
};

function measure(folder: string): void {
  const scripts = globSync('**/*.{js,mjs,cjs}', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length));
  const libraries = scripts
    .filter((name) => readFileSync(join(folder, name)).length > SMALLEST_LIBRARY)
    .sort();
  if (libraries.length === 0) {
    usageError(`There is no script over ${SMALLEST_LIBRARY} bytes in ${folder}.`);
    return;
  }
  measureLibraries(folder, libraries);
  measureDisguises(folder, sourcesIn(folder, scripts));
}

const USAGE = `usage: npm run measure:obfuscation -- FOLDER

Measures the accuracy of \`bundle.obfuscated\` for docs/project/obfuscation.md: how many libraries it flags, and how much obfuscated script
it detects. Every script over 1 kB in the folder counts as not obfuscated. Some of the unminified ones are obfuscated with each
setting of the tests. Prints the rates for two halves of the material: tune on one, validate with the other.
`;

measure(readArguments(USAGE, {}, folderOf));
