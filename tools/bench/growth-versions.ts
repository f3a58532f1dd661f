import { join } from 'node:path';
import { packedSample } from '@svc/testkit';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import {
  automationAt,
  inTempFolder,
  median,
  PUBLISHER,
  type Running,
  upload,
  whileStoreRuns,
} from './lib/processes.ts';

const ROUNDS = 3;
const TIMES = 20;
const MAX_GROWTH = 1.3;

/** Bound for a response that lists every version: more than constant, but far less than its 40 times the bytes. */
const LONG_ANSWER = 'app detail that is not cached';
const MAX_LONG = 10;

const APPS = { few: 'com.example.few', many: 'com.example.many' } as const;
type App = keyof typeof APPS;
const APP_NAMES = ['few', 'many'] as const;
const COUNTS: Readonly<Record<App, number>> = { few: 20, many: 1_000 };

type Work = (store: Running, app: App, n: number) => Promise<unknown>;

const bundleOf = (app: App, n: number): Uint8Array =>
  packedSample({ id: APPS[app], name: `The ${app}`, version: `1.${n}.0` });

/** The operations on an app, by name in the figure; `n` counts over all rounds. */
const WORK: Readonly<Record<string, Work>> = {
  'publishing an update': ({ url }, app, n) => upload(url, bundleOf(app, n)),
  // An unknown query parameter is part of the cache key of a page.
  'an app page that is not cached': ({ url }, app, n) => read(`${url}/apps/${APPS[app]}?n=${n}`),
  [LONG_ANSWER]: ({ url }, app, n) => read(`${url}/api/apps/${APPS[app]}?n=${n}`),
  'a bundle': ({ url }, app) => read(`${url}/api/apps/${APPS[app]}/versions/1.1.0/bundle`),
};

async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} returned ${answer.status}.`);
}

/** CPU time of the store per operation, in milliseconds. */
async function costOf(store: Running, work: (n: number) => Promise<unknown>, from: number): Promise<number> {
  const before = cpuOf(store.pid);
  for (let n = from; n < from + TIMES; n += 1) await work(n);
  return (cpuOf(store.pid) - before) / TIMES;
}

/** Publishes both apps, with few and with many versions. */
async function fill(store: Running, counts: Readonly<Record<App, number>>): Promise<void> {
  const automation = automationAt(store.url);
  await automation.addPublisher(PUBLISHER);
  for (const app of APP_NAMES) {
    await upload(store.url, bundleOf(app, 0));
    await automation.approve({ appId: APPS[app], version: '1.0.0' });
    for (let n = 1; n < counts[app]; n += 1) await upload(store.url, bundleOf(app, n));
  }
}

/** Alternates rounds of one operation on both apps, so that noise affects both. */
async function compare(store: Running, name: string, work: Work): Promise<Figure> {
  const costs: Record<App, number[]> = { few: [], many: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const app of APP_NAMES) {
      const from = COUNTS[app] + round * TIMES;
      const cost = await costOf(store, (n) => work(store, app, n), from);
      // The first round is a warm-up.
      if (round > 0) costs[app].push(cost);
    }
  }
  const [few, many] = [median(costs.few), median(costs.many)];
  return {
    name: `Growth of ${name} from ${COUNTS.few} to ${COUNTS.many} versions of the app, by CPU time of the store`,
    measured: `${few.toFixed(1)} and ${many.toFixed(1)} ms`,
    value: many / few,
    unit: ' times',
    bound: { most: name === LONG_ANSWER ? MAX_LONG : MAX_GROWTH },
  };
}

/** Growth of the cost of updates and reads with the number of versions. */
export const growthOfVersions = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async (store) => {
      await fill(store, COUNTS);
      const figures: Figure[] = [];
      for (const [name, work] of Object.entries(WORK)) figures.push(await compare(store, name, work));
      return figures;
    }),
  );
