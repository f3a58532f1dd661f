import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import {
  inTempFolder,
  median,
  publishApps,
  ROOT,
  type Running,
  whileServing,
  whileStoreRuns,
} from './lib/processes.ts';

const APPS = 100;
const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 20;

type Read = { name: string; path: string; headers?: Record<string, string>; goal: number };

const COMPRESSED = { 'accept-encoding': 'br, gzip' };
const APP = '/api/apps/com.example.app-7';

/** Requests of real clients: compressed, revalidated, small. File names as in `packedSample`. */
const READS: readonly Read[] = [
  { name: 'catalogue, identity', path: '/api/apps/catalog', goal: 0.85 },
  { name: 'catalogue, compressed', path: '/api/apps/catalog', headers: COMPRESSED, goal: 0.7 },
  { name: 'catalogue, 304', path: '/api/apps/catalog', headers: { 'if-none-match': '*' }, goal: 0.7 },
  { name: 'app detail', path: APP, headers: COMPRESSED, goal: 0.7 },
  { name: '`/`', path: '/', headers: COMPRESSED, goal: 0.6 },
  { name: 'app page', path: '/apps/com.example.app-7', headers: COMPRESSED, goal: 0.6 },
  { name: 'icon', path: `${APP}/versions/1.0.0/files/assets/icon.png`, goal: 0.5 },
  { name: 'bundle of some KiB', path: `${APP}/versions/1.0.0/bundle`, goal: 0.5 },
];

type Answer = { status: number; headers: string[]; body: Buffer };

/** Headers that differ per response, or that Node adds. */
const OWN_OF_EACH = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** A response as sent, not decoded. */
function answerTo(url: string, headers: IncomingHttpHeaders): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, async (response) => {
      if (![200, 304].includes(response.statusCode ?? 0))
        return reject(new Error(`${url} answered ${response.statusCode}`));
      const pairs = response.rawHeaders.flatMap((name, at, all) =>
        at % 2 === 0 && !OWN_OF_EACH.has(name.toLowerCase()) ? [name, all[at + 1] ?? ''] : [],
      );
      resolve({ status: response.statusCode ?? 0, headers: pairs, body: await buffer(response) });
    }).on('error', reject);
  });
}

/**
 * Pins all threads of a process to the first core, and lets none interrupt another as soon as it has work (sched(7), SCHED_BATCH), where
 * `taskset` and `chrt` are available. A server that is slower than its client wakes it with every response: on another core the client
 * sleeps until then, and on the same one it interrupts the server. Both are expensive, and a faster server does not pay for them.
 */
function pin(pid: number): void {
  spawnSync('taskset', ['-acp', '0', String(pid)]);
  spawnSync('chrt', ['--all-tasks', '--batch', '--pid', '0', String(pid)]);
}

/** Responses per second, and CPU time of the server per response, in microseconds. */
async function load({ url, pid }: Running, { path, headers = {} }: Read, status: number) {
  for (const id of [pid, process.pid]) pin(id);
  const before = cpuOf(pid);
  const result = await autocannon({ url: url + path, headers, connections: CONNECTIONS, duration: SECONDS });
  const { requests, errors, statusCodeStats } = result;
  const wanted = statusCodeStats?.[`${status}`]?.count ?? 0;
  if (errors > 0 || wanted < requests.total)
    throw new Error(
      `${path}: of ${requests.total} answers ${wanted} were ${status}, ${errors} requests failed`,
    );
  return { rate: requests.average, cpu: ((cpuOf(pid) - before) * 1000) / requests.total };
}

type Load = Awaited<ReturnType<typeof load>>;

/** Figures of one read, responses per second and CPU time, of alternating rounds against another server. */
function figuresOf(
  name: string,
  size: string,
  rounds: readonly { ours: Load; other: Load }[],
  least: number,
) {
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of));
  const rates = [middle(({ ours }) => ours.rate), middle(({ other }) => other.rate)].map(Math.round);
  const times = [middle(({ ours }) => ours.cpu), middle(({ other }) => other.cpu)].map(Math.round);
  return [
    {
      name: `${name}, responses per second`,
      measured: `${size}, ${rates.join(' against ')}`,
      value: middle(({ ours, other }) => ours.rate / other.rate),
      unit: '',
      bound: { least },
    },
    {
      name: `${name}, by CPU time of the server`,
      measured: `${times.join(' against ')} µs per response`,
      value: middle(({ ours, other }) => other.cpu / ours.cpu),
      unit: '',
      bound: { least },
    },
  ] satisfies Figure[];
}

/** Alternating rounds; the first is a warm-up. */
async function alternate(ours: Running, other: Running, read: Read, status: number) {
  const rounds: { ours: Load; other: Load }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push({ other: await load(other, read, status), ours: await load(ours, read, status) });
  return rounds.slice(1);
}

/** One read of the store, and of a bare server that sends the same bytes and headers. */
async function compare(store: Running, read: Read, folder: string): Promise<Figure[]> {
  const url = store.url + read.path;
  // Requested twice: the first request fills the cache.
  await answerTo(url, read.headers ?? {});
  const { status, headers, body } = await answerTo(url, read.headers ?? {});
  const file = join(folder, 'body');
  writeFileSync(file, body);
  const args = [join(ROOT, 'tools/bench/bare-server.ts'), file, String(status), JSON.stringify(headers)];
  const rounds = await whileServing(args, {}, (bare) => alternate(store, bare, read, status));
  const name = `Read against a bare server that sends the same bytes: ${read.name}`;
  return figuresOf(name, `${(body.byteLength / 1024).toFixed(1)} KiB`, rounds, read.goal);
}

/** The same reads of the store of another checkout, such as of the commit before a change: named by `SVC_BENCH_AGAINST`. */
const compareCheckouts = (store: Running, checkout: string, folder: string): Promise<Figure[]> =>
  whileStoreRuns(
    join(folder, 'other'),
    async (other) => {
      await publishApps(other.url, APPS);
      const figures: Figure[] = [];
      for (const read of READS) {
        const { status } = await answerTo(store.url + read.path, read.headers ?? {});
        const rounds = await alternate(store, other, read, status);
        figures.push(
          ...figuresOf(`Read against the other checkout: ${read.name}`, `${status}`, rounds, 0.95),
        );
      }
      return figures;
    },
    {},
    join(checkout, 'apps/store/src/main.ts'),
  );

/** All reads of real clients. */
export const reads = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async (store) => {
      await publishApps(store.url, APPS);
      const { SVC_BENCH_AGAINST: checkout } = process.env;
      if (checkout) return compareCheckouts(store, checkout, folder);
      const figures: Figure[] = [];
      for (const read of READS) figures.push(...(await compare(store, read, folder)));
      return figures;
    }),
  );
