import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, whileStoreRuns } from './lib/processes.ts';

const MB = 1_000_000;
const WARM_UP = 2_000;
const PENDING = 10_000;
const AT_ONCE = 8;
/** Each address may start twenty. */
const PER_ADDRESS = 20;

/** The memory that a process has now, in bytes, as Linux counts it. */
function memoryOf(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (found === undefined) throw new Error('This system does not say how much memory a process has.');
  return Number(found) * 1024;
}

async function startOne(url: string, n: number): Promise<void> {
  const client = Math.floor(n / PER_ADDRESS);
  const response = await fetch(`${url}/api/developer/device/start`, {
    method: 'POST',
    headers: { 'x-forwarded-for': `10.0.${client >> 8}.${client & 255}` },
  });
  if (!response.ok) throw new Error(`A device sign-in answered ${response.status}.`);
  await response.arrayBuffer();
}

/** Starts the device sign-ins of a range of numbers, some at once. */
async function startAll(url: string, from: number, to: number): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < to) {
      const n = next;
      next += 1;
      await startOne(url, n);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** What ten thousand more pending device sign-ins add to the memory of a store that is warm. */
export const deviceMemory = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(
      join(folder, 'data'),
      async ({ url, pid }) => {
        await startAll(url, 0, WARM_UP);
        const before = memoryOf(pid);
        await startAll(url, WARM_UP, WARM_UP + PENDING);
        const after = memoryOf(pid);
        return {
          name: `Memory that ${PENDING} pending device sign-ins add to a store that has served ${WARM_UP}`,
          measured: `${Math.round(after / MB)} MB, against ${Math.round(before / MB)} MB before`,
          value: (after - before) / MB,
          unit: ' MB',
          bound: { most: 15 },
        };
      },
      { SVC_TRUSTED_PROXIES: '127.0.0.0/8,::1', LOG_LEVEL: 'silent' },
    ),
  );
