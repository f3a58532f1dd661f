import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attack, storeTargets } from '@svc/testkit/hostile-requests';
import { hasNginx, whileNginxServes } from '../../lib/nginx.ts';
import { type Arena, experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { bundleOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { behindProxy } from '../site.ts';
import { ADMIN_TOKEN, type StoreProcess } from '../store-process.ts';

/** Pause between the uploads of the honest publisher, and the most that one may take, in milliseconds. */
const PAUSE_MS = 500;
const MAX_UPLOAD_MS = 30_000;
/** The last callbacks of attacked connections run within the time limits of the server. */
const SETTLE_MS = 6_000;

/** Publishes updates until the attack is over. @returns the failures, and the times of all uploads in milliseconds */
async function publishBeside({ client }: Pick<Arena, 'client'>, isOver: () => boolean) {
  const app = newApp();
  await publishFirst(client, app);
  const next = versionsOf(app);
  const failures: string[] = [];
  const times: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    const { status } = await client.upload(bundleOf(next()));
    times.push(performance.now() - began);
    if (status !== 201) failures.push(`a legitimate upload was answered ${status}`);
    await sleep(PAUSE_MS);
  }
  return { failures, times };
}

async function faultsOf(store: StoreProcess): Promise<string[]> {
  if (store.isGone()) return [`a store died: ${store.said().slice(-500)}`];
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const metrics = await (await fetch(`${store.url}/metrics`, { headers })).text();
  const isClean = /^svc_uncaught_total 0$/m.test(metrics);
  return [...store.faults(), ...(isClean ? [] : ['svc_uncaught_total is not 0'])];
}

/** Attacks a URL, which is that of a store or of the proxy before several. */
async function attackAt(url: string, arena: Arena, stores: readonly StoreProcess[], setup: Setup) {
  let isOver = false;
  const honest = publishBeside(arena, () => isOver);
  const attacked = await attack({
    port: Number(new URL(url).port),
    targets: storeTargets(),
    count: setup.count,
    random: setup.random,
    credentials: ['', `authorization: Bearer ${ADMIN_TOKEN}`, 'authorization: Bearer x'],
    isOver: () => stores.some((store) => store.isGone()),
  });
  isOver = true;
  const { failures, times } = await honest;
  await sleep(SETTLE_MS);
  for (const store of stores) failures.push(...(await faultsOf(store)));
  failures.push(...attacked.hangs.map((name) => `no answer to ${name}`));
  const slowest = Math.max(...times);
  if (slowest > MAX_UPLOAD_MS) failures.push(`a legitimate upload took ${Math.round(slowest)} ms`);
  const statuses = [...attacked.statuses].sort(([a], [b]) => a - b);
  const answers = statuses.map(([status, count]) => `${count} × ${status}`).join(', ');
  const counts = `${attacked.requests} requests (${answers}), ${times.length} legitimate uploads in at most ${Math.round(slowest)} ms`;
  return { counts, failures };
}

/** Passes all that arrives on at once, and asks the other process where one breaks off. */
const proxyOf = (stores: readonly StoreProcess[]) => ({
  http: `upstream stores { ${stores.map(({ url }) => `server ${new URL(url).host} max_fails=0;`).join(' ')} }
    client_max_body_size 0;`,
  server: `location / { proxy_pass http://stores; proxy_http_version 1.1; proxy_request_buffering off;
    proxy_set_header Host $http_host; proxy_set_header Connection ""; }`,
});

/** Two processes on one database, behind nginx. */
async function behindNginx(arena: Arena, setup: Setup): Promise<Outcome> {
  const other = await startOn(arena.site, 1);
  const folder = await mkdtemp(join(tmpdir(), 'svc-torture-nginx-'));
  const stores = [arena.store, other];
  try {
    const work = (url: string) => attackAt(url, arena, stores, setup);
    const { counts, failures } = await whileNginxServes(folder, work, proxyOf(stores));
    return { counts: `two processes behind nginx: ${counts}`, failures };
  } finally {
    await other.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const run = (setup: Setup): Promise<Outcome> =>
  experimentIn(behindProxy(setup.backend), async (arena) => {
    if (setup.backend.name === 'sqlite') return attackAt(arena.store.url, arena, [arena.store], setup);
    if (!hasNginx()) return { counts: 'left out: nginx is not installed', failures: [] };
    return behindNginx(arena, setup);
  });

/** Malformed, interrupted and oversized requests to every route beside honest uploads. `count` is the requests. */
export const requests: Experiment = {
  name: 'requests',
  backends: ['sqlite', 'postgres'],
  count: 20_000,
  run,
};
