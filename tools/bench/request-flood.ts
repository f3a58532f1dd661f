import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, percentile, publishApps, whileStoreRuns } from './lib/processes.ts';
import { memoryOf } from './store-memory.ts';

const CONNECTIONS = 100;
const SECONDS = 20;
/** Over the 64 KiB of a form or a JSON body. */
const BODY = Buffer.alloc(70 * 1024, 'a');
const PAUSE_MS = 20;

/** Response times of the catalogue until the work ends, in milliseconds, and the most memory of the store, in MB. */
async function watch(url: string, pid: number, work: Promise<unknown>) {
  const [times, memory] = [[] as number[], [] as number[]];
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    const answer = await fetch(`${url}/api/apps/catalog`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`The catalogue answered ${answer.status}.`);
    times.push(performance.now() - began);
    memory.push(memoryOf({ url, pid }));
    await sleep(PAUSE_MS);
  }
  await ending;
  return { times, most: Math.max(...memory) };
}

/** A flood of bodies that are too large, at routes that anyone may call: what it costs others, and the store. */
export const requestFlood = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileStoreRuns(folder, async ({ url, pid }) => {
      await publishApps(url, 20);
      const quiet = await watch(url, pid, sleep(5_000));
      // Not a promise, but thenable.
      const flood = Promise.resolve(
        autocannon({
          url: `${url}/api/developer/device/poll`,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: BODY,
          connections: CONNECTIONS,
          duration: SECONDS,
        }),
      );
      const flooded = await watch(url, pid, flood);
      const { requests } = await flood;
      const p99 = percentile(flooded.times, 0.99);
      const what = `requests with a body of 70 KiB, ${CONNECTIONS} at a time`;
      return [
        {
          name: `Response of the catalogue during a flood of ${what}, p99`,
          measured: `${requests.total.toLocaleString('en')} requests; p50 ${percentile(flooded.times, 0.5).toFixed(1)} ms; before it p50 ${percentile(quiet.times, 0.5).toFixed(1)}, p99 ${percentile(quiet.times, 0.99).toFixed(1)} ms`,
          value: p99,
          unit: ' ms',
          bound: { most: 250 },
        },
        {
          name: 'Memory of the store that the same flood adds',
          measured: `${flooded.most.toFixed(0)} MB at most, against ${quiet.most.toFixed(0)} MB`,
          value: flooded.most - quiet.most,
          unit: ' MB',
          bound: { most: 250 },
        },
      ];
    }),
  );
