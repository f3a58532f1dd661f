import { readArguments } from './read-arguments.ts';
import { openBackends } from './torture/backends.ts';
import { EXPERIMENTS } from './torture/experiments/index.ts';
import type { Experiment, Outcome } from './torture/outcome.ts';
import { randomOf } from './torture/random.ts';
import { BACKENDS, type Backend } from './torture/site.ts';

const DEFAULT_SEED = 1;
const MAX_TOLD = 10;

const USAGE = `usage: npm run torture -- [--seed ${DEFAULT_SEED}] [--count N] [--step N] [--minutes N] [--backend sqlite|postgres|s3] [EXPERIMENT...]

Does to real store processes what must not hurt them. Experiments: ${EXPERIMENTS.map(({ name }) => name).join(', ')}; all
when none is named. --count does so much of each instead of all of it; --step strikes at that step alone; --minutes is the --count of soak. A failure names what
makes it again. Exits with 1 when there was one.
`;

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${text} is not a whole number below 10^9.`);
  return Number(text);
}

const numberOr = (text: string | undefined): number | null => (text === undefined ? null : wholeNumber(text));

const OPTIONS = {
  seed: { type: 'string' },
  count: { type: 'string' },
  step: { type: 'string' },
  minutes: { type: 'string' },
  backend: { type: 'string', multiple: true },
} as const;

const asked = readArguments(USAGE, OPTIONS, ({ values, positionals }) => {
  const unknown = [
    ...positionals.filter((name) => !EXPERIMENTS.some((one) => one.name === name)),
    ...(values.backend ?? []).filter((name) => !BACKENDS.some((known) => known === name)),
  ];
  if (unknown.length > 0) throw new RangeError(`There is no ${unknown.join(', ')}.`);
  return {
    seed: wholeNumber(values.seed ?? String(DEFAULT_SEED)),
    count: numberOr(values.count ?? values.minutes),
    step: numberOr(values.step),
    backends: BACKENDS.filter((name) => values.backend?.includes(name) ?? true),
    experiments: EXPERIMENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  };
});
const { seed, count, step, backends: wanted, experiments } = asked;

/** Each experiment has numbers of its own, so that it is the same whether it runs alone or after others. */
async function carryOut(experiment: Experiment, backend: Backend): Promise<Outcome> {
  const random = randomOf(seed);
  try {
    return await experiment.run({ backend, random, count: count ?? experiment.count, step });
  } catch (error) {
    return { counts: 'broken off', failures: [String((error as Error).stack)] };
  }
}

function tell(experiment: Experiment, backend: Backend, { counts, failures }: Outcome, ms: number): void {
  const verdict = failures.length === 0 ? 'ok' : 'FAILED';
  process.stdout.write(
    `${verdict} ${experiment.name} on ${backend.title}: ${counts}; ${failures.length} failures, ${Math.round(ms / 1000)} s\n`,
  );
  for (const failure of failures.slice(0, MAX_TOLD)) process.stdout.write(`  ${failure}\n`);
  if (failures.length === 0) return;
  if (failures.length > MAX_TOLD) process.stdout.write(`  and ${failures.length - MAX_TOLD} more\n`);
  const options = `--seed ${seed}${count === null ? '' : ` --count ${count}`} --backend ${backend.name}`;
  process.stdout.write(`  again: npm run torture -- ${options} ${experiment.name}\n`);
}

async function runAll(): Promise<number> {
  const opened = await openBackends(wanted);
  for (const note of opened.missing) process.stdout.write(`${note}\n`);
  let failed = 0;
  try {
    for (const experiment of experiments) {
      for (const backend of opened.backends) {
        if (!experiment.backends.includes(backend.name)) continue;
        const began = performance.now();
        const outcome = await carryOut(experiment, backend);
        tell(experiment, backend, outcome, performance.now() - began);
        failed += outcome.failures.length;
      }
    }
  } finally {
    await opened.close();
  }
  return failed;
}

process.stdout.write(`Seed ${seed}.\n`);
process.exitCode = (await runAll()) > 0 ? 1 : 0;
