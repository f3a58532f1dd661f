import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createStores, createUnitOfWork } from '../../apps/store/src/adapters/database/stores.ts';
import { createServerLister } from '../../apps/store/src/adapters/servers/list-tools.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import { withQueries } from '../../apps/store/src/core/domain/parts/with-queries.ts';
import { toolQueries } from '../../apps/store/src/extensions/servers/extension.ts';
import { probeServers } from '../../apps/store/src/extensions/servers/probe-servers.ts';
import { loadIntoSqlite } from '../../apps/store/test/support/load-catalogue.ts';
import { cpuOf } from './lib/cpu-of.ts';
import type { Figure } from './lib/figure.ts';
import { whileMcpServes } from './lib/mcp-server.ts';
import { inTempFolder, whileServing } from './lib/processes.ts';

const APPS = 100_000;
/** Servers that are listed in a round. The first round records their tools, and the others compare. */
const LISTED = 2_000;
const ROUNDS = 3;
const DAY_MS = 24 * 3_600_000;
const TOOLS = 6;
const SILENT = { info() {}, warn() {}, error() {}, debug() {} };

/** A store with 100,000 apps, of which the checks of some are due, and whose servers are all at one address. */
async function openProber(file: string, mcpUrl: string) {
  const { status } = spawnSync(process.execPath, [import.meta.filename, file], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The catalogue was not generated.');
  const db = openSqlite(file);
  // Spread over the coming day. A time further away than a week would be one that a wrong clock wrote, which is due.
  const planned = sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+' || (3600 + abs(random()) % 80000) || ' seconds')`;
  await sql`insert into server_checks (app_id, next_at, state_json) select app_id, ${planned}, '{}' from listings`.execute(
    db,
  );
  const lister = createServerLister({
    localApps: true,
    baseUrl: 'http://localhost',
    version: '0.0.0',
    privateNetworks: null,
  });
  const serverChecks = { listed: 0, 'needs-sign-in': 0, 'not-answering': 0 };
  const deps = {
    ...createStores(db),
    ...toolQueries(db),
    ...{ clock: () => new Date(), newId: randomUUID, random: randomBytes, log: SILENT, serverChecks },
    unitOfWork: withQueries({ db, unitOfWork: createUnitOfWork(db) }, toolQueries).unitOfWork,
    serverLister: { list: () => lister.list({ remote: { mcpUrl, domains: [] } }) },
    policy: { toolDrift: 'report' },
  } as unknown as Parameters<typeof probeServers>[0];
  return {
    serverChecks,
    async round() {
      const due = sql`select app_id from listings order by app_id limit ${LISTED}`;
      await sql`update server_checks set next_at = '2026-01-01T00:00:00.000Z' where app_id in (${due})`.execute(
        db,
      );
      const [began, before] = [performance.now(), cpuOf(process.pid)];
      await probeServers(deps);
      return { ms: performance.now() - began, cpu: cpuOf(process.pid) - before };
    },
    close: () => db.destroy(),
  };
}

async function probe(file: string, mcpUrl: string): Promise<Figure[]> {
  const prober = await openProber(file, mcpUrl);
  const idle = process.memoryUsage().rss;
  let memory = 0;
  const sampled = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss);
  }, 100);
  let [ms, cpu] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const took = await prober.round();
    if (round === 0) continue;
    ms += took.ms;
    cpu += took.cpu;
  }
  clearInterval(sampled);
  await prober.close();
  if (prober.serverChecks.listed !== ROUNDS * LISTED)
    throw new Error(`Of ${ROUNDS * LISTED} servers, ${JSON.stringify(prober.serverChecks)}.`);
  const each = cpu / ((ROUNDS - 1) * LISTED);
  const perSecond = (1_000 * (ROUNDS - 1) * LISTED) / ms;
  return [
    {
      name: `The prober: listing the servers of ${APPS} apps over real connections once a day, as a share of one core`,
      measured: `${each.toFixed(2)} ms of CPU time each; ${perSecond.toFixed(0)} servers/s, 8 at once; from ${LISTED} that are due`,
      value: (100 * APPS * each) / DAY_MS,
      unit: ' %',
      bound: { most: 2 },
    },
    {
      name: 'Memory that the prober adds: the MCP client, and what it has not collected yet',
      measured: `${(memory / 2 ** 20).toFixed(0)} MB at most, ${(idle / 2 ** 20).toFixed(0)} MB before`,
      value: (memory - idle) / 2 ** 20,
      unit: ' MB',
      bound: { most: 350 },
    },
  ];
}

/** An MCP server for this figure, in a process of its own, until it is killed. */
async function serve(): Promise<void> {
  const tools = Object.fromEntries(Array.from({ length: TOOLS }, (_, n) => [`tool-${n}`, 0]));
  await whileMcpServes(tools, async (url) => {
    process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
    await new Promise(() => undefined);
  });
}

/** The cost of listing the servers of all apps. */
export const prober = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileServing([import.meta.filename], {}, ({ url }) => probe(join(folder, 'store.sqlite'), `${url}/mcp`)),
  );

// As a program: generates the catalogue into the file that is named, whose memory would count otherwise; or serves.
const [, , into] = process.argv;
if (import.meta.main) await (into === undefined ? serve() : loadIntoSqlite(into, APPS));
