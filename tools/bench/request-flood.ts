import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { startDesktop } from './drill-programs.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, percentile, publishApps, type Running, whileStoreRuns } from './lib/processes.ts';
import { memoryOf } from './store-memory.ts';

const CONNECTIONS = 100;
const SECONDS = 20;
/** Over the 64 KiB of a form or a JSON body. */
const BODY = Buffer.alloc(70 * 1024, 'a');
const PAUSE_MS = 20;

/** Response times of a page until the work ends, in milliseconds, and the most memory of its server, in MB. */
async function watch(server: Running, path: string, work: Promise<unknown>) {
  const [times, memory] = [[] as number[], [] as number[]];
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    const answer = await fetch(server.url + path);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
    times.push(performance.now() - began);
    memory.push(memoryOf(server));
    await sleep(PAUSE_MS);
  }
  await ending;
  return { times, most: Math.max(...memory) };
}

/** Floods a route of a server, and watches a page of it. */
async function floodAt(server: Running, route: string, page: string): Promise<Figure[]> {
  const quiet = await watch(server, page, sleep(5_000));
  // Not a promise, but thenable.
  const flood = Promise.resolve(
    autocannon({
      url: server.url + route,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: BODY,
      connections: CONNECTIONS,
      duration: SECONDS,
    }),
  );
  const flooded = await watch(server, page, flood);
  const { requests } = await flood;
  const p99 = percentile(flooded.times, 0.99);
  const what = `a flood of ${route} with bodies of 70 KiB, ${CONNECTIONS} at a time`;
  return [
    {
      name: `Response of ${page} during ${what}, p99`,
      measured: `${requests.total.toLocaleString('en')} requests; p50 ${percentile(flooded.times, 0.5).toFixed(1)} ms; before it p50 ${percentile(quiet.times, 0.5).toFixed(1)}, p99 ${percentile(quiet.times, 0.99).toFixed(1)} ms`,
      value: p99,
      unit: ' ms',
      bound: { most: 250 },
    },
    {
      name: `Memory that ${what}, adds`,
      measured: `${flooded.most.toFixed(0)} MB at most, against ${quiet.most.toFixed(0)} MB`,
      value: flooded.most - quiet.most,
      unit: ' MB',
      bound: { most: 250 },
    },
  ];
}

/** Bodies that are too large or not allowed, at routes that anyone may call: what they cost others, and the server. */
export const requestFlood = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    const ofStore = await whileStoreRuns(join(folder, 'store'), async (store) => {
      await publishApps(store.url, 20);
      return floodAt(store, '/api/developer/device/poll', '/api/apps/catalog');
    });
    const desktop = await startDesktop(join(folder, 'desktop'), 'http://127.0.0.1:1');
    try {
      const ofPages = await floodAt(desktop, '/api/session.open', '/');
      return [...ofStore, ...ofPages, ...(await floodAt(desktop, '/mcp', '/'))];
    } finally {
      desktop.stop();
    }
  });
