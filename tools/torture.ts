import { readArguments } from './lib/read-arguments.ts';
import { openBackends } from './torture/backends.ts';
import { EXPERIMENTS } from './torture/experiments/index.ts';
import type { Experiment, Outcome } from './torture/outcome.ts';
import { randomOf } from './torture/random.ts';
import { BACKENDS, type Backend } from './torture/site.ts';

const DEFAULT_SEED = 1;
const MAX_SHOWN = 10;

const USAGE = `usage: npm run torture -- [--seed ${DEFAULT_SEED}] [--count N] [--step N] [--minutes N] [--backend sqlite|postgres|s3] [EXPERIMENT...]

Injects faults into real store processes. Experiments: ${EXPERIMENTS.map(({ name }) => name).join(', ')}; default:
all. --count limits the repetitions; --step selects one step; --minutes is the --count of soak. A failure includes the command that
reproduces it. Exits with 1 when there is a failure.
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

const parsed = readArguments(USAGE, OPTIONS, ({ values, positionals }) => {
  const unknown = [
    ...positionals.filter((name) => !EXPERIMENTS.some((experiment) => experiment.name === name)),
    ...(values.backend ?? []).filter((name) => !BACKENDS.some((known) => known === name)),
  ];
  if (unknown.length > 0) throw new RangeError(`Unknown: ${unknown.join(', ')}.`);
  return {
    seed: wholeNumber(values.seed ?? String(DEFAULT_SEED)),
    count: numberOr(values.count ?? values.minutes),
    step: numberOr(values.step),
    backends: BACKENDS.filter((name) => values.backend?.includes(name) ?? true),
    experiments: EXPERIMENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  };
});
const { seed, count, step, backends: backendNames, experiments } = parsed;

/** Runs an experiment with its own random numbers, so that it is the same alone and after others. */
async function runExperiment(experiment: Experiment, backend: Backend): Promise<Outcome> {
  const random = randomOf(seed);
  try {
    return await experiment.run({ backend, random, count: count ?? experiment.count, step });
  } catch (error) {
    return { counts: 'aborted', failures: [String((error as Error).stack)] };
  }
}

function report(experiment: Experiment, backend: Backend, { counts, failures }: Outcome, ms: number): void {
  const verdict = failures.length === 0 ? 'ok' : 'FAILED';
  process.stdout.write(
    `${verdict} ${experiment.name} on ${backend.title}: ${counts}; ${failures.length} failures, ${Math.round(ms / 1000)} s\n`,
  );
  for (const failure of failures.slice(0, MAX_SHOWN)) process.stdout.write(`  ${failure}\n`);
  if (failures.length === 0) return;
  if (failures.length > MAX_SHOWN) process.stdout.write(`  and ${failures.length - MAX_SHOWN} more\n`);
  const options = `--seed ${seed}${count === null ? '' : ` --count ${count}`} --backend ${backend.name}`;
  process.stdout.write(`  reproduce: npm run torture -- ${options} ${experiment.name}\n`);
}

async function runAll(): Promise<number> {
  const opened = await openBackends(backendNames);
  for (const note of opened.missing) process.stdout.write(`${note}\n`);
  let failed = 0;
  try {
    for (const experiment of experiments) {
      for (const backend of opened.backends) {
        if (!experiment.backends.includes(backend.name)) continue;
        const began = performance.now();
        const outcome = await runExperiment(experiment, backend);
        report(experiment, backend, outcome, performance.now() - began);
        failed += outcome.failures.length;
      }
    }
  } finally {
    await opened.close();
  }
  return failed;
}

process.stdout.write(`Seed ${seed}.\n`);
// Not by the end of the event loop: there Node 24 waits for ever for connections that were reset (`Environment::CleanupHandles`).
process.exit((await runAll()) > 0 ? 1 : 0);
