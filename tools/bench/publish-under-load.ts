import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { packedSample } from '@svc/testkit';
import { type Backend, whileStoreRunsOn } from './lib/backends.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, percentile, publishApps, ROOT, upload } from './lib/processes.ts';

const PAGES_PER_SECOND = 100;
const UPLOADS_PER_SECOND = 10;
const APPS = 100;
const SECONDS = 5;
const ROUNDS = 3;
/** Concurrent developers at maximum speed. */
const PUBLISHERS = 4;
/** More than are published in one go. */
const BUNDLES = { flatOut: 500, steadily: UPLOADS_PER_SECOND * SECONDS };
const PHOTO = randomBytes(200_000);

const run = promisify(execFile);
const READER = join(ROOT, 'tools', 'bench', 'page-reader.ts');

/** Reads the catalogue's first page at a fixed rate; the latencies in milliseconds. */
async function readPages(url: string): Promise<number[]> {
  const args = [READER, `${url}/api/apps/catalog`, String(PAGES_PER_SECOND), String(SECONDS)];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout) as number[];
}

/**
 * Updates of all apps in turn, built in advance: building one takes as long as publishing it, on the cores that the store shares with
 * the benchmark.
 */
function makeUpdates() {
  let made = 0;
  return (count: number) =>
    Array.from({ length: count }, (_, n) => {
      if (n % APPS === 0) made += 1;
      const app = n % APPS;
      const manifest = { id: `com.example.app-${app}`, name: `App ${app}`, version: `2.${made}.0` };
      return packedSample(manifest, { 'assets/photo.jpg': PHOTO });
    });
}

type Published = { perSecond: number; p99: number };

/**
 * Publishes until stopped, as concurrent developers with their own apps.
 * @param pauseMs time between the starts of two uploads of a developer; 0 for maximum speed
 */
async function publishAll(
  url: string,
  bundles: readonly Uint8Array[],
  isOver: () => boolean,
  pauseMs = 0,
): Promise<Published> {
  const times: number[] = [];
  const began = performance.now();
  const publisher = async (_: unknown, nth: number) => {
    // Staggered starts.
    await sleep((pauseMs * nth) / PUBLISHERS);
    for (let n = nth; n < bundles.length && !isOver(); n += PUBLISHERS) {
      const started = performance.now();
      await upload(url, bundles[n] as Uint8Array);
      const took = performance.now() - started;
      times.push(took);
      await sleep(Math.max(0, pauseMs - took));
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: times.length / seconds, p99: percentile(times, 0.99) };
}

/** Runs work during publishing. */
async function beside<T>(work: Promise<T>, publishing: (isOver: () => boolean) => Promise<Published>) {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const [result, published] = await Promise.all([ended, publishing(() => isOver)]);
  return { result, published };
}

type Round = { quietP99: number; steadyP99: number; alone: Published; busy: Published };

async function measure(url: string): Promise<Round[]> {
  await publishApps(url, APPS);
  const updates = makeUpdates();
  const flatOut = (bundles: Uint8Array[]) => (isOver: () => boolean) => publishAll(url, bundles, isOver);
  const steadily = (bundles: Uint8Array[]) => (isOver: () => boolean) =>
    publishAll(url, bundles, isOver, (PUBLISHERS * 1000) / UPLOADS_PER_SECOND);
  const rounds: Round[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [first, second, third] = [
      steadily(updates(BUNDLES.steadily)),
      flatOut(updates(BUNDLES.flatOut)),
      flatOut(updates(BUNDLES.flatOut)),
    ];
    const quiet = await readPages(url);
    const { result: steady } = await beside(readPages(url), first);
    const { published: alone } = await beside(sleep(SECONDS * 1000), second);
    const { published: busy } = await beside(readPages(url), third);
    const [quietP99, steadyP99] = [percentile(quiet, 0.99), percentile(steady, 0.99)];
    if (round > 0) rounds.push({ quietP99, steadyP99, alone, busy });
  }
  return rounds;
}

const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Both figures of one run on one back end: publishing during reads, and reads during publishing. */
async function figuresOn(backend: Backend): Promise<Figure[]> {
  const rounds = await inTempFolder((folder) => whileStoreRunsOn(backend, folder, ({ url }) => measure(url)));
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const rate = (pick: (round: Round) => Published) =>
    `${of((r) => pick(r).perSecond).toFixed(1)} (p99 ${ms(of((r) => pick(r).p99))})`;
  return [
    {
      name: `Uploads per second of 200 KiB, ${PUBLISHERS} concurrent, while ${PAGES_PER_SECOND} catalogue pages per second are read, against uploads alone, on ${backend}`,
      measured: `${rate(({ busy }) => busy)} against ${rate(({ alone }) => alone)}`,
      value: of((r) => r.busy.perSecond / r.alone.perSecond),
      unit: '',
      bound: { least: 0.5 },
    },
    {
      name: `p99 of ${PAGES_PER_SECOND} catalogue pages per second while ${UPLOADS_PER_SECOND} bundles per second are published, against p99 while none is, on ${backend}`,
      measured: `${ms(of((r) => r.steadyP99))} against ${ms(of((r) => r.quietP99))}`,
      value: of((r) => r.steadyP99 / r.quietP99),
      unit: ' times',
      bound: { most: 3 },
    },
  ];
}

export const publishOnSqlite = (): Promise<Figure[]> => figuresOn('SQLite and disk');
export const publishOnPostgres = (): Promise<Figure[]> => figuresOn('PostgreSQL and S3');
