import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { partOf } from './fuzz/parts.ts';
import type { Failure } from './fuzz/run-case.ts';
import type { Share } from './fuzz/worker.ts';
import { readArguments, refuseWords } from './lib/read-arguments.ts';

/** A case that takes longer counts as hanging; its thread is terminated. */
const HANG_MS = 60_000;
const WATCH_INTERVAL_MS = 2_000;
const MAX_FAILURES = 10;
/** Heap limit of a thread, in MiB; most of it is used to generate inputs. A case that needs more ends its thread. */
const MAX_HEAP = 512;

const USAGE = `usage: npm run fuzz -- [--runs 100000] [--seed N]

Runs the bundle reader and the validator on generated inputs, one each from the seeds N, N+1, and so on. A failure names its seed:
reproduce it with --runs 1 --seed SEED. Exits with 1 when there is a failure.
`;

/** A thread, its current case, and when that started. */
interface Thread {
  worker: Worker;
  view: Float64Array;
  seed: number;
  since: number;
}

const OPTIONS = { runs: { type: 'string' }, seed: { type: 'string' } } as const;
const { runs, seed } = readArguments(USAGE, OPTIONS, (parsed) => {
  refuseWords(parsed);
  const now = String(Date.now() % 2 ** 30);
  const { runs: count = '100000', seed: first = now } = parsed.values;
  return { runs: wholeNumber(count), seed: wholeNumber(first) };
});
const started = performance.now();
let failures = 0;
let folder: string | undefined;

process.stdout.write(`Cases ${seed} to ${seed + runs - 1}.\n`);
const threads = startThreads();
const timer = setInterval(checkThreads, WATCH_INTERVAL_MS);
await Promise.all(threads.map(({ worker }) => new Promise((resolve) => worker.once('exit', resolve))));
clearInterval(timer);
process.stdout.write(`${summary()}\n`);
process.exitCode = failures > 0 ? 1 : 0;

/** fast-check takes seeds of 32 bits. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value >= 2 ** 31)
    throw new RangeError(`${text} is not a whole number below 2^31.`);
  return value;
}

function startThreads(): Thread[] {
  const count = Math.min(availableParallelism(), runs);
  return Array.from({ length: count }, (_, index) => {
    const state = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
    const workerData: Share = { first: seed + index, end: seed + runs, step: count, state };
    const worker = new Worker(new URL('./fuzz/worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP },
    });
    const thread = { worker, view: new Float64Array(state), seed: seed + index, since: started };
    worker.on('message', (failure: Failure) => report(failure));
    // Most likely out of memory: errors of a case are caught in the thread.
    worker.on('error', (error) => reportLost(thread, `ended its thread: ${error.message}`));
    return thread;
  });
}

function checkThreads(): void {
  const now = performance.now();
  for (const thread of threads) {
    const at = thread.view[0] ?? 0;
    if (at !== thread.seed) Object.assign(thread, { seed: at, since: now });
    else if (now - thread.since > HANG_MS && thread.worker.threadId > 0) {
      reportLost(thread, `timed out after ${HANG_MS} ms`);
      void thread.worker.terminate();
    }
  }
  process.stderr.write(`${summary()}\n`);
}

/** Reports a case whose thread ended. The input is lost, but its seed reproduces it. */
function reportLost(thread: Thread, message: string): void {
  const at = thread.view[0] ?? 0;
  report({ seed: at, part: partOf(at).name, message, file: undefined });
}

function report({ seed: at, part, message, file }: Failure): void {
  failures += 1;
  process.stdout.write(`\nFAILED --runs 1 --seed ${at} (${part}): ${message}\n`);
  if (file) process.stdout.write(`The smallest input found is in ${saveInput(`${at}-${part}`, file)}\n`);
  if (failures >= MAX_FAILURES) for (const { worker } of threads) void worker.terminate();
}

function saveInput(name: string, bytes: Uint8Array): string {
  folder ??= mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function summary(): string {
  const done = threads.reduce((sum, { view }) => sum + (view[1] ?? 0), 0);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const peak = Math.round(process.resourceUsage().maxRSS / 1_024);
  return `${done} of ${runs} cases, ${failures} failed, ${seconds} s, at most ${peak} MiB of memory for ${threads.length} threads.`;
}
