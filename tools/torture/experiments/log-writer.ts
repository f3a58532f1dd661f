import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../../apps/store/src/platform/database/schema.ts';
import { type Arena, experimentIn, inArena, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { bundleOf, type Client, clientOf, type Ref } from '../client.ts';
import { fill, makeRoom, onSmallDisk } from '../full-disk.ts';
import { createLogReader } from '../log-reader.ts';
import { canMount } from '../mounts.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Phase } from '../preload/strike.ts';
import type { Random } from '../random.ts';
import type { Backend, Site } from '../site.ts';
import { wellAfter } from '../witness.ts';
import { finalCheck } from './kill.ts';

type Case = {
  name: string;
  only?: Backend['name'][];
  /** Kills or rounds of it, of the count of the experiment. */
  run(backend: Backend, random: Random, count: number): Promise<Outcome>;
};

const NOWHERE = { step: 0, phase: 'before', blow: 'kill', lasting: false } as const;
const PHASES: readonly Phase[] = ['before', 'during', 'after'];

/** The log is published within a second; a process that was killed leaves leases of ten. */
const PUBLISHED_MS = 20_000;

/** Steps after the row of the log that records what is published. */
const MARGIN = 2;

/** Free bytes: no tile can be written, some, or those and not the database. */
const ROOMS = [0, 4, 12, 32, 64].map((kib) => kib * 1024);

/** Entries of the published log; 0 when there is none to be had. */
async function sizeOf(client: Client): Promise<number> {
  const found = await client.file('/checkpoint').catch(() => null);
  return (
    Number(
      Buffer.from(found?.bytes ?? [])
        .toString('utf8')
        .split('\n')[1] ?? 0,
    ) || 0
  );
}

/** Waits until the log is longer than before, or the process is gone. */
async function untilPublished({ store, client }: Arena, before: number): Promise<void> {
  const deadline = performance.now() + PUBLISHED_MS;
  while (!store.isGone() && performance.now() < deadline && (await sizeOf(client)) <= before) await sleep(20);
}

/** The steps from the first tile of a publish to the row that records the checkpoint: first and last, counted from 1. */
async function writerSteps(arena: Arena, ref: Ref): Promise<{ from: number; to: number }> {
  const before = await sizeOf(arena.client);
  await arena.store.arm(NOWHERE);
  await arena.witness.publish(arena.client, ref);
  await untilPublished(arena, before);
  const { steps } = await arena.store.disarm();
  const first = steps.findIndex((name) => /log_entries|\.p\//.test(name));
  const last = steps.findLastIndex((name) => /update "?log_state/.test(name));
  if (first < 0 || last < first) throw new Error(`The log was not written: ${steps.join(', ')}`);
  return { from: first + 1, to: last + 1 + MARGIN };
}

/** kill -9 of the writer: between the entry, its tiles, the checkpoint beside the bundles, and the row that says what is served. */
const killed: Case = {
  name: 'killed between row and tile',
  run: (backend, random, count) =>
    experimentIn(backend, async (arena) => {
      const next = versionsOf((await publishFirst(arena.client, newApp())).appId);
      const { from, to } = await writerSteps(arena, next());
      const failures: string[] = [];
      let kills = 0;
      for (let n = 0; n < count; n += 1) {
        const step = from + random.below(to - from + 1);
        const phase = random.of(PHASES);
        const before = await sizeOf(arena.client);
        await arena.store.arm({ step, phase, blow: 'kill', lasting: false });
        await arena.witness.publish(arena.client, next());
        await untilPublished(arena, before);
        if ((await arena.store.disarm().catch(() => null)) === null) {
          kills += 1;
          await arena.restart();
        }
        const faults = await arena.witness.faults(arena.client);
        failures.push(...faults.map((fault) => `--step ${step}, ${phase}: ${fault}`));
      }
      if (kills === 0) failures.push('no kill met its step');
      failures.push(...(await finalCheck(arena)));
      return { counts: `${kills} of ${count} kills`, failures };
    }),
};

/** Two processes write one log, and one of them is killed in between, again and again. */
const twoProcesses: Case = {
  name: 'two processes',
  only: ['s3'],
  run: (backend, random, count) =>
    experimentIn(backend, async (arena) => {
      const { site, witness } = arena;
      const appIds = [(await publishFirst(arena.client, newApp())).appId, newApp()];
      await publishFirst(arena.client, appIds[1] as string);
      const versions = appIds.map(versionsOf);
      const failures: string[] = [];
      for (let n = 0; n < count; n += 1) {
        const second = await startOn(site, 1);
        const client = witness.watch(clientOf(second.url));
        const works = [arena.client, client].map(async (one, at) => {
          for (let m = 0; m < 5; m += 1) await witness.publish(one, (versions[at] as () => Ref)());
        });
        await sleep(random.below(1_500));
        await second.kill();
        await Promise.all(works);
        const faults = await witness.faults(arena.client);
        failures.push(...faults.map((fault) => `round ${n + 1}: ${fault}`));
      }
      return { counts: `${count} kills of one of two processes`, failures };
    }),
};

/** A disk without space for tiles: what is acknowledged meanwhile is in the log once there is space again. */
const fullDisk: Case = {
  name: 'full disk',
  only: ['sqlite', 'postgres'],
  async run(backend, _random, count) {
    if (!(await canMount())) return { counts: 'skipped: mounts are not allowed', failures: [] };
    return inArena(onSmallDisk(backend), async (arena) => {
      const { witness } = arena;
      const folder = arena.site.settings().SVC_DATA_DIR as string;
      const failures: string[] = [];
      const statuses: number[] = [];
      for (const room of ROOMS.slice(0, Math.max(1, count))) {
        const ref = await publishFirst(arena.client, newApp());
        const next = versionsOf(ref.appId);
        await fill(folder, room);
        statuses.push(await witness.publish(arena.client, next()), await witness.yank(arena.client, ref));
        // The writer tries, and fails, in between.
        await sleep(700);
        await makeRoom(folder);
        const isReady = async () => (await arena.client.get('/readyz')).status === 200;
        if ((await wellAfter(isReady)) === null)
          failures.push(`${room} bytes: it is not ready with space again`);
        const faults = await witness.faults(arena.client);
        failures.push(...faults.map((fault) => `${room} bytes: ${fault}`));
      }
      if (!statuses.includes(503) && backend.name === 'sqlite') failures.push('the disk was never full');
      return { counts: `${statuses.length} acts with a full disk (${statuses.join(', ')})`, failures };
    });
  },
};

/** A copy of the database that can be put back. */
type Copy = { putBack(): Promise<void> };

const OLDER = 'older';

/** Every table of a PostgreSQL database, with the columns that can be written. */
async function tablesOf(db: Database): Promise<{ name: string; columns: string }[]> {
  const { rows } = await sql<{ name: string; columns: string }>`
    select t.table_name as name, string_agg(format('%I', c.column_name), ', ') as columns
    from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
    group by t.table_name`.execute(db);
  return rows;
}

async function copyPostgres(site: Site): Promise<Copy> {
  const db = await site.openDatabase();
  const tables = await tablesOf(db);
  await sql`create schema ${sql.ref(OLDER)}`.execute(db);
  for (const { name, columns } of tables)
    await sql`create table ${sql.ref(`${OLDER}.${name}`)} as select ${sql.raw(columns)} from ${sql.ref(`public.${name}`)}`.execute(
      db,
    );
  await db.destroy();
  return {
    async putBack() {
      const again = await site.openDatabase();
      await again.transaction().execute(async (tx) => {
        // Without triggers, which guard the audit log, and foreign keys.
        await sql`set local session_replication_role = replica`.execute(tx);
        for (const { name } of tables) await sql`delete from ${sql.ref(`public.${name}`)}`.execute(tx);
        for (const { name, columns } of tables)
          await sql`insert into ${sql.ref(`public.${name}`)} (${sql.raw(columns)}) overriding system value
            select ${sql.raw(columns)} from ${sql.ref(`${OLDER}.${name}`)}`.execute(tx);
      });
      await again.destroy();
    },
  };
}

async function copySqlite(site: Site): Promise<Copy> {
  const folder = site.settings().SVC_DATA_DIR as string;
  const [file, copy] = [join(folder, 'store.sqlite'), join(folder, 'older.sqlite')];
  await cp(file, copy);
  return {
    async putBack() {
      for (const end of ['-wal', '-shm']) await rm(file + end, { force: true });
      await cp(copy, file);
    },
  };
}

/** Publishes an app with some versions, and yanks one. */
async function act(client: Client): Promise<{ published: Ref[]; yanked: Ref[] }> {
  const first = await publishFirst(client, newApp());
  const next = versionsOf(first.appId);
  const published = [next(), next(), next()];
  for (const ref of published) {
    const { status } = await client.upload(bundleOf(ref));
    if (status !== 201) throw new Error(`A publish returned ${status}.`);
  }
  const { status } = await client.yank(first);
  if (status !== 200) throw new Error(`A yank returned ${status}.`);
  return { published, yanked: [first] };
}

/** An older copy of the database is put back, and the log went on: it continues, with all that the database lost. */
const restored: Case = {
  name: 'restored older database',
  only: ['sqlite', 'postgres'],
  run: (backend) =>
    inArena(backend, async (arena) => {
      const log = createLogReader();
      const failures: string[] = [];
      const before = await act(arena.client);
      failures.push(...(await log.faults(arena.client, before)));
      await arena.store.stop();
      const copy = await (backend.name === 'sqlite' ? copySqlite : copyPostgres)(arena.site);
      await arena.restart();
      const lost = await act(arena.client);
      const both = {
        published: [...before.published, ...lost.published],
        yanked: [...before.yanked, ...lost.yanked],
      };
      failures.push(...(await log.faults(arena.client, both)));
      const size = await sizeOf(arena.client);
      await arena.store.stop();
      await copy.putBack();
      await arena.restart();
      await untilPublished(arena, size);
      if (!arena.store.said().includes('The database is older than the log'))
        failures.push('the operator was not told that the database is older than the log');
      // What the database lost is in the log still, and it goes on after that.
      failures.push(...(await log.faults(arena.client, both)));
      const after = await act(arena.client);
      const all = {
        published: [...both.published, ...after.published],
        yanked: [...both.yanked, ...after.yanked],
      };
      failures.push(...(await log.faults(arena.client, all)));
      return { counts: `${size} entries before, ${await sizeOf(arena.client)} after`, failures };
    }),
};

const CASES = [killed, twoProcesses, fullDisk, restored];

async function run({ backend, random, count }: Setup): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const { name, only, run: runCase } of CASES) {
    if (only && !only.includes(backend.name)) continue;
    const { counts, failures } = await runCase(backend, random, count);
    outcomes.push({ counts: `${name}: ${counts}`, failures: failures.map((fault) => `${name}: ${fault}`) });
  }
  return {
    counts: outcomes.map(({ counts }) => counts).join('; '),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/**
 * The writer of the transparency log: killed at each of its steps, beside another process, on a full disk, with an older database. No entry is
 * lost, none is there twice, and everything acknowledged is in the log. `count` is the kills.
 */
export const logWriter: Experiment = {
  name: 'log-writer',
  backends: ['sqlite', 'postgres', 's3'],
  count: 20,
  run,
};
