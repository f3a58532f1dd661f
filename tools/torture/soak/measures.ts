import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arena } from '../arena.ts';
import { type Slope, slopeOf } from '../slope.ts';

const MB = 1024 * 1024;

/** Warm-up: allocations of the first minutes, mainly caches, are not leaks and are not checked. */
const WARM_UP = 0.25;

/** The measures, and their maximum growth per hour; null when a measure is only reported. */
const MEASURES = {
  /** Includes uncollected garbage of each thread, so it says nothing about leaks. */
  memoryMb: null,
  /** Anonymous resident memory after a full garbage collection in all threads. */
  keptMb: 60,
  /** Live objects of the main thread after the same collection. */
  heapMb: 15,
  /** External memory of these objects. */
  externalMb: 15,
  descriptors: 5,
  logMb: 5,
  /** CPU time of the store in milliseconds, which does not depend on other load. */
  cpuMsPerRequest: 1,
  p50Ms: null,
  p99Ms: null,
} as const;

type Measure = keyof typeof MEASURES;

/** Measurements at a time; not every sample has all measures. */
export type Sample = { minute: number } & Partial<Record<Measure, number>>;

/** Counts of the load since the previous sample. */
export type Counted = { times: number[]; requests: number };

const quantile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? 0;

/** Milliseconds per clock tick of the kernel: USER_HZ is 100 on all platforms of Node. */
const TICK_MS = 10;

/** CPU time of a process so far, in milliseconds (proc_pid_stat(5): utime and stime, fields 14 and 15). */
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
    /** Measures from outside. */
    async sample({ times, requests }: Counted): Promise<Sample> {
      const status = await readFile(`/proc/${store.pid}/status`, 'utf8');
      const last = cpuMs;
      cpuMs = await cpuMsOf(store.pid);
      return {
        minute: now(),
        memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
        descriptors: (await readdir(`/proc/${store.pid}/fd`)).length,
        logMb: ((await stat(log).catch(() => null))?.size ?? 0) / MB,
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        ...(requests > 0 && { cpuMsPerRequest: (cpuMs - last) / requests }),
      };
    },
    /** Memory after a full garbage collection, without the CPU time of the collection. */
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
 * The report of a soak test: values and growth of each measure.
 * @param isChecked whether growth above the limit is a failure
 */
export function report(
  samples: readonly Sample[],
  isChecked: boolean,
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
    // The lower bound of the confidence interval.
    if (isChecked && most !== null && slope.low * 60 > most)
      failures.push(`${measure} grows: ${shown(slope)}`);
    const where = `median ${quantile(values, 0.5).toFixed(1)}, most ${Math.max(...values).toFixed(1)}`;
    return `${measure} ${where}, slope ${shown(slope)}, ${values.length} samples`;
  });
  return { lines, failures };
}
