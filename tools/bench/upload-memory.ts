import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { packedSample } from '@svc/testkit';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, PUBLISHER, upload, whileStoreRuns } from './lib/processes.ts';

const CONCURRENT = 8;
const ROUNDS = 2;
const MB = 1_000_000;

/** Real source: beside pictures, what a large bundle consists of. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('typescript')).subarray(0, 1_500_000);

/** Room for what is not the picture: the source deflated, the other files, and what the zip itself takes. */
const REST = 700_000;

/** A bundle that is all but as large as one may be. */
const largest = (n: number, round: number): Uint8Array =>
  packedSample(
    { id: `com.example.app-${n}`, version: `1.${round}.0` },
    { 'ui/panel.js': SOURCE, 'assets/photo.jpg': randomBytes(LIMITS.bundle.bytes - REST) },
  );

/** The most memory a process ever had, in bytes, as Linux counts it. */
function peakOf(pid: number): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (found === undefined) throw new Error('This system does not say how much memory a process had.');
  return Number(found) * 1024;
}

/** Peak memory of a store that receives the maximum number of concurrent bundles of the maximum size, twice. */
export const uploadMemory = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async ({ url, pid }) => {
      await automationAt(url).addPublisher(PUBLISHER);
      // Made beforehand: it takes so long that connections are closed meanwhile.
      const rounds = Array.from({ length: ROUNDS }, (_, round) =>
        Array.from({ length: CONCURRENT }, (_, n) => largest(n, round)),
      );
      const idle = peakOf(pid);
      for (const bundles of rounds) await Promise.all(bundles.map((bundle) => upload(url, bundle)));
      const peak = peakOf(pid);
      return {
        name: `Peak memory of a store that receives ${CONCURRENT} bundles of 25 MiB concurrently`,
        measured: `${Math.round(peak / MB)} MB, against ${Math.round(idle / MB)} MB when idle`,
        value: peak / MB,
        unit: ' MB',
        bound: { most: 300 },
      };
    }),
  );
