import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { listen } from '../../apps/store/src/composition/serve.ts';
import { sha256Of } from '../../apps/store/src/platform/sha256.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder } from './lib/processes.ts';
import { OPEN_STORE, whileOpen } from './lib/while-open.ts';

/** Apps that are carried. What each costs does not depend on their number: heads, details and bundles are per app. */
const APPS = Number(process.env.SVC_BENCH_APPS ?? 200);
/** The apps for which the figures are given. */
const MANY = 20_000;
const DAY_S = 86_400;
const MINUTE_MS = 60_000;

type Open = Parameters<Parameters<typeof whileOpen>[1]>[0];

/** Calls the API of a store as its administrator. @throws for any other status than 2xx */
function administrator(store: Open) {
  return async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const headers = { authorization: `Bearer ${OPEN_STORE.token}`, 'content-type': type };
    const given =
      body === undefined
        ? {}
        : { body: type.endsWith('json') ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer>) };
    const response = await store.app.fetch(
      new Request(`${OPEN_STORE.url}${path}`, { method, headers, ...given }),
    );
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
}

/** Apps of a publisher in the benchmark: fewer than it may upload in ten minutes. */
const OF_PUBLISHER = 15;

/** A name that looks like no other one: names that are alike wait for a moderator. */
const nameOf = (n: number): string => `Application ${sha256Of(String(n)).slice(0, 16)}`;

/**
 * Publishes apps of as many publishers as it takes.
 * @param before what happens before each, such as that time passes
 * @returns the ids of the apps
 */
export async function publishApps(
  store: Open,
  count: number,
  before: () => void = () => undefined,
): Promise<(n: number) => string> {
  const ask = administrator(store);
  const idOf = (n: number) => `com.example.app-${n}`;
  let [publisher, token] = ['', ''];
  for (let n = 0; n < count; n += 1) {
    before();
    if (n % OF_PUBLISHER === 0) {
      publisher = `example-${n}`;
      await ask('POST', '/api/admin/publishers', { slug: publisher, name: `Example ${n}`, verified: true });
      ({ token } = (await ask('POST', '/api/admin/tokens', { publisher })) as { token: string });
    }
    const bundle = packBundle(sampleFiles(sampleManifest({ id: idOf(n), name: nameOf(n), publisher })));
    const response = await store.app.fetch(
      new Request(`${OPEN_STORE.url}/api/apps/publish`, {
        ...{ method: 'POST', body: bundle as Uint8Array<ArrayBuffer> },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      }),
    );
    if (response.status !== 201) throw new Error(await response.text());
    const { status } = (await response.json()) as { status: string };
    if (status === 'in_review')
      await ask('POST', `/api/moderation/apps/${idOf(n)}/versions/1.0.0/approve`, {});
  }
  return idOf;
}

/** A store that listens, with the requests and bytes of its answers. */
async function served(store: Open) {
  const sent = { requests: 0, bytes: 0 };
  const app = {
    async fetch(request: Request, ...rest: unknown[]): Promise<Response> {
      const response = (await store.app.fetch(request, ...(rest as []))) as Response;
      sent.requests += 1;
      const bytes = response.body ? Buffer.from(await response.arrayBuffer()) : null;
      sent.bytes += bytes?.length ?? 0;
      const { status, headers } = response;
      return new Response(bytes, { status, headers });
    },
  };
  const server = await listen({ app, answerFromMemory: () => false, isHttps: false }, 0, '127.0.0.1');
  return {
    address: `http://127.0.0.1:${server.port}`,
    close: () => server.close(),
    /** What was sent by some work. */
    async during(work: () => Promise<unknown>) {
      const before = { ...sent };
      const began = performance.now();
      await work();
      const ms = performance.now() - began;
      return { requests: sent.requests - before.requests, bytes: sent.bytes - before.bytes, ms };
    },
  };
}

type Cost = { requests: number; bytes: number; ms: number };
const mB = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const times = ({ requests, bytes, ms }: Cost, n: number): Cost => ({
  ...{ requests: requests * n, bytes: bytes * n, ms: ms * n },
});
const sum = (all: readonly Cost[]): Cost => ({
  requests: all.reduce((total, { requests }) => total + requests, 0),
  bytes: all.reduce((total, { bytes }) => total + bytes, 0),
  ms: all.reduce((total, { ms }) => total + ms, 0),
});
const textOf = ({ requests, bytes }: Cost): string => `${Math.round(requests)} requests, ${mB(bytes)}`;

/** The chances of a time: half of them, and 99 of 100, are at most so long. */
function chancesOf(draw: () => number): { p50: number; p99: number } {
  const all = Array.from({ length: 200_000 }, draw).sort((a, b) => a - b);
  const at = (share: number) => all[Math.floor(all.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** The pause of a desktop between two checks, and of a store between two questions, in seconds, with their jitter. */
const uniform = (from: number, to: number) => from + (to - from) * Math.random();
const [DESKTOP_S, EVENTS_S, LIST_S] = [
  [144, 216],
  [3, 5],
  [17, 23],
] as const;

/** How long until something is noticed that is looked for regularly, at a random moment of a pause. */
const noticed = ([from, to]: readonly [number, number]) => uniform(from, to) * Math.random();

/** Measures what carrying costs an upstream, and how long a yank travels. */
export async function carrying(): Promise<Figure[]> {
  return inTempFolder((folder) =>
    whileOpen(
      join(folder, 'public'),
      async (origin) => {
        const idOf = await publishApps(origin, APPS);
        const upstream = await served(origin);
        try {
          return await whileOpen(
            join(folder, 'company'),
            (company) => measured(company, { origin, upstream, idOf }),
            {
              environment: { SVC_BASE_URL: 'http://127.0.0.1:9' },
              repeatsJobs: false,
            },
          );
        } finally {
          await upstream.close();
        }
      },
      { repeatsJobs: false },
    ),
  );
}

async function measured(
  company: Open,
  {
    origin,
    upstream,
    idOf,
  }: { origin: Open; upstream: Awaited<ReturnType<typeof served>>; idOf(n: number): string },
): Promise<Figure[]> {
  const ask = administrator(company);
  const { address } = upstream;
  const offer = (await ask('GET', `/api/admin/upstreams/offer?address=${encodeURIComponent(address)}`)) as {
    keys: { keyId: string }[];
  };
  const choices = { which: 'all', apps: [], categories: [], how: 'all', grants: [] };
  await ask('POST', '/api/admin/upstreams', { address, keyId: offer.keys.at(-1)?.keyId, choices });
  const run = (what: string) => upstream.during(() => company.runJob(what));
  /** The least of some runs: the store does the same by itself now and then. */
  const quiet = async (what: string): Promise<Cost> => {
    const runs: Cost[] = [];
    for (let n = 0; n < 5; n += 1) runs.push(await run(what));
    return runs.sort((a, b) => a.requests - b.requests)[0] as Cost;
  };
  const [FOLLOW, EVENTS, CARRY] = [
    'Following upstreams',
    'Reading events of upstreams',
    'Carrying apps of upstreams',
  ];
  await run(FOLLOW);
  await run(EVENTS);
  const first = await run(CARRY);
  const { upstreams } = (await ask('GET', '/api/admin/upstreams')) as {
    upstreams: { apps: { carried: number } }[];
  };
  const carried = upstreams[0]?.apps.carried ?? 0;
  if (carried !== APPS)
    throw new Error(`Only ${carried} of ${APPS} apps were carried: ${JSON.stringify(upstreams)}`);
  const perApp = times(first, 1 / APPS);
  // Nothing is new: what each of the three costs.
  const idle = { list: await quiet(FOLLOW), events: await quiet(EVENTS), carry: await quiet(CARRY) };
  const look = await upstream.during(async () => {
    await fetch(`${address}/api/apps/${idOf(0)}/head?list=1`).then((answer) => answer.arrayBuffer());
    await fetch(`${address}/api/apps/${idOf(0)}`).then((answer) => answer.arrayBuffer());
  });
  const day = sum([
    times(idle.list, DAY_S / 20),
    times(idle.events, DAY_S / 4),
    times(idle.carry, DAY_S / 20),
    times(look, MANY),
  ]);
  const withoutEvents = sum([
    times(idle.list, DAY_S / 20),
    times(idle.carry, DAY_S / 20),
    times(look, (DAY_S / 20) * 30),
  ]);
  const admin = administrator(origin);
  const yanks: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    await admin('POST', `/api/apps/${idOf(n)}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    yanks.push((await run(EVENTS)).ms);
    const { entries } = (await (
      await company.app.fetch(new Request(`${OPEN_STORE.url}/api/apps/revocations`))
    ).json()) as { entries: unknown[] };
    if (entries.length !== n + 1) throw new Error('A yank did not arrive.');
  }
  const work = yanks.sort((a, b) => a - b)[5] ?? 0;
  const pushed = chancesOf(() => noticed(EVENTS_S) + work / 1_000 + noticed(DESKTOP_S));
  const polled = chancesOf(() => noticed(LIST_S) + work / 1_000 + noticed(DESKTOP_S));
  const company50 = chancesOf(() => noticed(EVENTS_S) + work / 1_000);
  const companyList = chancesOf(() => noticed(LIST_S) + work / 1_000);
  const s = (seconds: number) => `${seconds.toFixed(1)} s`;
  const sync = times(perApp, MANY);
  return [
    {
      name: `First sync of ${MANY} carried apps: what it asks of its upstream, from ${APPS} apps`,
      measured: `${perApp.requests.toFixed(2)} requests and ${(perApp.bytes / 1_000).toFixed(1)} kB an app, ${perApp.ms.toFixed(0)} ms: ${textOf(sync)}, ${(sync.ms / MINUTE_MS).toFixed(0)} min`,
      ...{ value: perApp.requests, unit: ' requests', bound: { most: 4 } },
    },
    {
      name: `A day of ${MANY} carried apps without a change: with events, and without`,
      measured: `${textOf(day)} against ${textOf(withoutEvents)}`,
      ...{ value: (100 * day.requests) / withoutEvents.requests, unit: ' %', bound: { most: 50 } },
    },
    {
      name: 'A yank at the public store until it is in the list of the company: with events, and by the list alone',
      measured: `p50 ${s(company50.p50)}, p99 ${s(company50.p99)} against p50 ${s(companyList.p50)}, p99 ${s(companyList.p99)}; ${work.toFixed(0)} ms of it are work`,
      ...{ value: company50.p99, unit: ' s', bound: { most: 60 } },
    },
    {
      name: 'The same until the app is off on a desktop of the company, which asks every three minutes',
      measured: `p50 ${s(pushed.p50)}, p99 ${s(pushed.p99)} against p50 ${s(polled.p50)}, p99 ${s(polled.p99)}`,
      ...{ value: pushed.p99, unit: ' s', bound: { most: 240 } },
    },
  ];
}
