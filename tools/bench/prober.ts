import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createStores, createUnitOfWork } from '../../apps/store/src/adapters/database/stores.ts';
import { createServerLister } from '../../apps/store/src/adapters/servers/list-tools.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import { probeServers } from '../../apps/store/src/features/servers/probe-servers.ts';
import { loadIntoSqlite } from '../../apps/store/test/support/load-catalogue.ts';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, whileServing } from './lib/processes.ts';

const APPS = 100_000;
/** Servers of a round that are listed for the figure, of which the first round records the tools and the others compare. */
const LISTED = 2_000;
const ROUNDS = 3;
const DAY_MS = 24 * 3_600_000;
const SILENT = { info() {}, warn() {}, error() {}, debug() {} };

/** The prober on a store with 100,000 apps, whose servers are one on this machine, asked over real connections. */
async function probe(file: string, mcpUrl: string) {
  await loadIntoSqlite(file, APPS);
  const db = openSqlite(file);
  const past = '2026-01-01T00:00:00.000Z';
  await sql`insert into server_checks (app_id, next_at, state_json) select app_id, '9999', '{}' from listings`.execute(
    db,
  );
  const lister = createServerLister({
    localApps: true,
    baseUrl: 'http://localhost',
    version: '0.0.0',
    privateNetworks: null,
  });
  const stores = createStores(db);
  const serverChecks = { listed: 0, 'needs-sign-in': 0, 'not-answering': 0 };
  const deps = {
    ...stores,
    ...{ clock: () => new Date(), newId: randomUUID, random: randomBytes, log: SILENT, serverChecks },
    unitOfWork: createUnitOfWork(db),
    serverLister: { list: () => lister.list({ remote: { mcpUrl, domains: [] } }) },
    policy: { toolDrift: 'report' },
  } as unknown as Parameters<typeof probeServers>[0];
  const rounds: { ms: number; cpu: number }[] = [];
  let memory = 0;
  const sampled = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss);
  }, 100);
  for (let round = 0; round < ROUNDS; round += 1) {
    await sql`update server_checks set next_at = ${past} where app_id in (select app_id from listings order by app_id limit ${LISTED})`.execute(
      db,
    );
    const [began, before] = [performance.now(), cpuOf(process.pid)];
    await probeServers(deps);
    rounds.push({ ms: performance.now() - began, cpu: cpuOf(process.pid) - before });
  }
  clearInterval(sampled);
  await db.destroy();
  if (serverChecks.listed !== ROUNDS * LISTED)
    throw new Error(`${serverChecks.listed} of ${ROUNDS * LISTED} servers were listed.`);
  return { rounds: rounds.slice(1), memory };
}

/** What listing the servers of all apps once a day takes: a share of one core, by the CPU time of the process. */
export const prober = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileServing([join(import.meta.dirname, 'tools-server.ts')], {}, async ({ url }) => {
      const { rounds, memory } = await probe(join(folder, 'store.sqlite'), `${url}/mcp`);
      const listed = rounds.length * LISTED;
      const [ms, cpu] = [
        rounds.reduce((sum, one) => sum + one.ms, 0),
        rounds.reduce((sum, one) => sum + one.cpu, 0),
      ];
      const share = (100 * APPS * (cpu / listed)) / DAY_MS;
      return {
        name: `Listing the servers of ${APPS} apps once a day over real connections, of one core`,
        measured: `${((1_000 * listed) / ms).toFixed(0)} servers/s, 8 at once; ${(cpu / listed).toFixed(2)} ms of CPU time each; ${(memory / 2 ** 20).toFixed(0)} MB at most, with the catalogue loaded`,
        value: share,
        unit: ' %',
        bound: { most: 2 },
      };
    }),
  );
