import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RevocationList, StoreHealth } from '@svc/contracts';
import type { PostgresReplica, PostgresServer } from '@svc/testkit/postgres-server';
import { openPostgres } from '../../../apps/store/src/adapters/postgres/open-postgres.ts';
import { runIn } from '../../../apps/store/test/support/run-in.ts';
import { type Arena, experimentIn, newApp, publishFirst, startOn } from '../arena.ts';
import { type Client, clientOf, nameOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { startTorturedPostgres } from '../postgres.ts';
import { type Backend, diskBlobs, type Site, throughWire } from '../site.ts';
import { layWire, type Wire } from '../wire.ts';
import { wellAfter } from '../witness.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

const portOf = (url: string): number => Number(new URL(url).port);

/** A site whose database has replicas, and where its processes reach the server that is in charge now. */
type Replicated = Site & { wire: Wire; primary: PostgresServer; urlAt(port: number): string };

async function openReplicated(): Promise<Replicated> {
  const primary = await startTorturedPostgres();
  await primary.createDatabase('svc');
  const folder = await mkdtemp(join(tmpdir(), 'svc-torture-'));
  const wire = await layWire(portOf(primary.url));
  const url = throughWire(primary.url, wire, 'svc');
  return {
    settings: () => ({ SVC_DATA_DIR: folder, DATABASE_URL: url }),
    openDatabase: () => openPostgres(url, SILENT),
    blobs: diskBlobs(folder),
    wires: { postgres: wire },
    ...{ wire, primary },
    urlAt: (port) => Object.assign(new URL(`${primary.url}svc`), { port: String(port) }).href,
    async close() {
      await wire.close();
      await primary.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server in charge: the first one, or a replica that was promoted. */
type InCharge = { port: number; replica: PostgresServer['replica']; end(): Promise<void> };

/** Starts a replica that has all that was acknowledged until now, and nothing that comes after. */
async function lagging({ urlAt }: Replicated, server: InCharge, ref: Ref): Promise<PostgresReplica> {
  const way = await layWire(server.port);
  const replica = await server.replica(way.port);
  const has = `select 1 / count(*) from versions where app_id = '${ref.appId}' and state = 'published'`;
  const isThere = () =>
    runIn(urlAt(replica.port), has).then(
      () => true,
      () => false,
    );
  if ((await wellAfter(isThere)) === null) throw new Error('The replica does not follow.');
  await way.close();
  return replica;
}

/** The acknowledged yanks that are not on the list, or whose bundles download. */
async function lostOn(client: Client, yanked: readonly Ref[]): Promise<string[]> {
  const { body } = await client.get<RevocationList>('/api/apps/revocations');
  const listed = new Set(body.entries?.map(nameOf));
  const lost = yanked.filter((ref) => !listed.has(nameOf(ref)));
  for (const ref of yanked.slice(-2)) if (await client.bundle(ref)) lost.push(ref);
  return lost.map((ref) => `${nameOf(ref)} was yanked, and is not any more`);
}

const isReady = async (client: Client): Promise<boolean> => (await client.get('/readyz')).status === 200;

/** Yanks two versions that the replica does not learn of, kills the server under two processes, and promotes the replica. */
async function failOver(arena: Arena, site: Replicated, server: InCharge, other: Client, yanked: Ref[]) {
  const refs = [await publishFirst(arena.client, newApp()), await publishFirst(arena.client, newApp())];
  const replica = await lagging(site, server, refs[1] as Ref);
  for (const ref of refs) if ((await arena.client.yank(ref)).status === 200) yanked.push(ref);
  await server.end();
  site.wire.cut();
  await replica.promote();
  const began = performance.now();
  site.wire.fix(replica.port);
  const failures: string[] = [];
  for (const client of [arena.client, other]) {
    if ((await wellAfter(() => isReady(client))) === null) failures.push('a process is not ready again');
    if ((await wellAfter(async () => (await lostOn(client, yanked)).length === 0)) === null)
      failures.push(...(await lostOn(client, yanked)));
  }
  const tookMs = performance.now() - began;
  const { body } = await arena.client.get<StoreHealth>('/api/admin/health');
  const named = new Set(body.rollback?.yanks.map(nameOf));
  failures.push(
    ...refs.filter((ref) => !named.has(nameOf(ref))).map((ref) => `Health does not name ${nameOf(ref)}`),
  );
  failures.push(...(await arena.witness.look(arena.client)), ...(await arena.witness.look(other)));
  const next = { port: replica.port, replica: replica.replica, end: replica.close };
  return { next, tookMs, failures };
}

async function run({ count }: Setup): Promise<Outcome> {
  let site: Replicated | null = null;
  const backend: Backend = {
    ...{ name: 'postgres', title: 'PostgreSQL with replicas', servers: {} },
    async open() {
      site = await openReplicated();
      return site;
    },
  };
  return experimentIn(backend, async (arena) => {
    const here = site as unknown as Replicated;
    const { primary } = here;
    const second = await startOn(here, 1);
    const other = clientOf(second.url);
    let server: InCharge = { port: portOf(primary.url), replica: primary.replica, end: primary.kill };
    const yanked: Ref[] = [];
    const times: number[] = [];
    const failures: string[] = [];
    try {
      for (let round = 1; round <= count; round += 1) {
        const done = await failOver(arena, here, server, other, yanked);
        server = done.next;
        times.push(done.tookMs);
        failures.push(...done.failures.map((fault) => `failover ${round}: ${fault}`));
      }
      const lost = await lostOn(arena.client, yanked);
      const sorted = times.toSorted((a, b) => a - b);
      const seconds = (ms = 0) => (ms / 1_000).toFixed(1);
      return {
        counts: `${count} failovers, ${yanked.length} yanks that the replica did not have, ${lost.length} of them lost; on the list of both processes after ${seconds(sorted[Math.floor(sorted.length / 2)])} s, ${seconds(sorted.at(-1))} s at most`,
        failures: [...failures, ...lost],
      };
    } finally {
      await second.stop();
    }
  });
}

/** Failovers of PostgreSQL to a replica that lags, under two running processes. `count` is the failovers. */
export const failover: Experiment = { name: 'failover', backends: ['postgres'], count: 50, run };
