import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arena } from '../arena.ts';
import { type Slope, slopeOf } from '../slope.ts';

const MB = 1024 * 1024;

/** What a process allocates in its first minutes, caches above all, is no leak: that part of a run is not judged. */
const WARM_UP = 0.25;

/** What is measured, and how much it may surely grow in an hour before it is called a leak; null where that is told only. */
const MEASURES = {
  /** With garbage, which V8 leaves uncollected for long, in each thread: it says nothing about leaks. */
  memoryMb: null,
  /** Resident memory that belongs to no file, after a full collection in all threads. */
  keptMb: 60,
  /** Objects of the first thread that live, after the same collection. */
  heapMb: 15,
  /** What lives outside of that heap for them. */
  externalMb: 15,
  descriptors: 5,
  logMb: 5,
  /** Processor time of the store, in milliseconds: the time by the clock follows what else the machine does. */
  cpuMsPerRequest: 1,
  p99Ms: null,
} as const;

type Measure = keyof typeof MEASURES;

/** What was measured at a time; not every sample has all. */
export type Sample = { minute: number } & Partial<Record<Measure, number>>;

/** What the load has counted since it was asked last. */
export type Counted = { times: number[]; requests: number };

const quantile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? 0;

/** Milliseconds in one of the ticks that the kernel counts processor time in: USER_HZ is 100 on all that Node runs on. */
const TICK_MS = 10;

/** Processor time that a process has taken so far, in milliseconds (proc_pid_stat(5): utime and stime, fields 14 and 15). */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Measures a store while it is under load. */
export async function createMeter({ store, site }: Arena) {
  const log = join(site.settings().SVC_DATA_DIR as string, 'store.sqlite-wal');
  const began = performance.now();
  const now = (): number => (performance.now() - began) / 60_000;
  let cpuMs = await cpuMsOf(store.pid);

  return {
    /** What can be seen from outside. */
    async look({ times, requests }: Counted): Promise<Sample> {
      const status = await readFile(`/proc/${store.pid}/status`, 'utf8');
      const last = cpuMs;
      cpuMs = await cpuMsOf(store.pid);
      return {
        minute: now(),
        memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
        descriptors: (await readdir(`/proc/${store.pid}/fd`)).length,
        logMb: ((await stat(log).catch(() => null))?.size ?? 0) / MB,
        p99Ms: quantile(times, 0.99),
        ...(requests > 0 && { cpuMsPerRequest: (cpuMs - last) / requests }),
      };
    },
    /** What is left of its memory after a full collection, whose processor time is not the load's. */
    async collect(): Promise<Sample> {
      const before = await cpuMsOf(store.pid);
      const { after, heap, external } = await store.memory();
      cpuMs += (await cpuMsOf(store.pid)) - before;
      return { minute: now(), keptMb: after / MB, heapMb: heap / MB, externalMb: external / MB };
    },
  };
}

const shown = ({ perMinute, low, high }: Slope): string =>
  `${(perMinute * 60).toFixed(2)} an hour (95 %: ${(low * 60).toFixed(2)} to ${(high * 60).toFixed(2)})`;

/**
 * The lines of a soak: where each measure stood, and how it grew.
 * @param isJudged whether what surely grows more than it may is a failure
 */
export function report(
  samples: readonly Sample[],
  isJudged: boolean,
): { lines: string[]; failures: string[] } {
  const until = Math.max(...samples.map(({ minute }) => minute));
  const from = samples.filter(({ minute }) => minute >= until * WARM_UP);
  const failures: string[] = [];
  const lines = (Object.keys(MEASURES) as Measure[]).map((measure) => {
    const seen = from.flatMap(({ minute, [measure]: value }) =>
      value === undefined ? [] : [{ minute, value }],
    );
    const values = seen.map(({ value }) => value);
    const slope = slopeOf(
      seen.map(({ minute }) => minute),
      values,
    );
    const most = MEASURES[measure];
    // The lower bound: what is surely growth.
    if (isJudged && most !== null && slope.low * 60 > most)
      failures.push(`${measure} grows: ${shown(slope)}`);
    const where = `median ${quantile(values, 0.5).toFixed(1)}, most ${Math.max(...values).toFixed(1)}`;
    return `${measure} ${where}, slope ${shown(slope)}, ${values.length} samples`;
  });
  return { lines, failures };
}
