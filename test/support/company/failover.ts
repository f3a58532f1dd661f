import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationList } from '@svc/contracts';
import { eventually } from '@svc/testkit/eventually';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { expect, onTestFinished } from 'vitest';
import { runIn } from '../../../apps/store/test/support/run-in.ts';
import { openTestStore, type TestStore } from '../../../apps/store/test/support/test-store.ts';
import { healthOf, idsOf, listOf, ready, release, yank } from '../../../apps/store/test/support/yanks.ts';
import { layWire } from '../../../tools/torture/wire.ts';

const ids = { yanked: 'com.example.yanked', kept: 'com.example.kept', gone: 'com.example.gone' };

/** Fails while a database does not have an app as published. */
const hasApp = (id: string) =>
  `select 1 / count(*) from versions where app_id = '${id}' and state = 'published'`;

/**
 * Two processes of a store on a PostgreSQL that has a replica, each reached over a connection that can be cut. The replica has two
 * published apps, and lags: one of them is yanked since, and a third one is published.
 */
export async function openReplicated() {
  const primary = await startPostgres(FAST_POSTGRES);
  onTestFinished(primary.close);
  await primary.createDatabase('svc');
  const port = Number(new URL(primary.url).port);
  const [wire, replication] = await Promise.all([layWire(port), layWire(port)]);
  onTestFinished(async () => void (await Promise.all([wire.close(), replication.close()])));
  const at = (to: number): string => Object.assign(new URL(`${primary.url}svc`), { port: String(to) }).href;
  const given = { environment: { DATABASE_URL: at(wire.port) }, ambient: { clock: () => new Date() } };
  const one = await openTestStore(given);
  const two = await openTestStore({ ...given, folder: one.folder });
  const token = await one.publisherToken('example', true);
  for (const id of [ids.yanked, ids.kept]) await release(one, token, id);
  const replica = await primary.replica(replication.port);
  onTestFinished(replica.close);
  await eventually(() => runIn(at(replica.port), hasApp(ids.kept)));
  replication.cut();
  await yank(one, ids.yanked);
  await release(one, token, ids.gone);
  for (const store of [one, two])
    await expect.poll(async () => idsOf(await listOf(store))).toEqual([ids.yanked]);
  await one.dataChecks.follow();
  let newest = await listOf(one);
  return {
    ...{ one, two, token, ids, primary, replica, wire },
    /** The last list before the failover. */
    newest: () => newest,
    async remember() {
      newest = await listOf(one);
    },
    /** The apps on the list that is kept beside the bundles. */
    keptIds: async (): Promise<string[]> =>
      idsOf(JSON.parse(await readFile(join(one.folder, 'blobs', 'revocations'), 'utf8'))),
  };
}

export type Replicated = Awaited<ReturnType<typeof openReplicated>>;

/** Reads the list of each store until the signal, and notes each that has fewer entries, or an earlier time, than one before it. */
async function readLists(stores: readonly TestStore[], signal: AbortSignal) {
  const heard = { count: 0, shrunk: [] as string[] };
  const last = new Map<TestStore, RevocationList>();
  while (!signal.aborted) {
    for (const store of stores) {
      const answer = await store.call('GET', '/api/apps/revocations');
      if (answer.status !== 200) continue;
      const list = (await answer.json()) as RevocationList;
      const before = last.get(store);
      heard.count += 1;
      if (before && (list.entries.length < before.entries.length || list.signedAt < before.signedAt))
        heard.shrunk.push(`${list.signedAt} has ${list.entries.length} entries`);
      last.set(store, list);
    }
    await sleep(10);
  }
  return heard;
}

/** Kills the database under both processes, promotes its replica, and waits until both name what is gone. */
export async function failOver({ one, two, primary, replica, wire, remember }: Replicated) {
  await remember();
  const stop = new AbortController();
  const reading = readLists([one, two], stop.signal);
  await primary.kill();
  wire.cut();
  for (const store of [one, two]) await expect.poll(() => ready(store)).toBe(503);
  await replica.promote();
  const began = performance.now();
  wire.fix(replica.port);
  for (const store of [one, two]) {
    await expect
      .poll(async () => (await healthOf(store)).rollback)
      .toMatchObject({
        yanks: [{ appId: ids.yanked, version: '1.0.0' }],
        gone: [{ appId: ids.gone, version: '1.0.0' }],
      });
    await expect.poll(() => ready(store)).toBe(200);
  }
  const tookMs = Math.round(performance.now() - began);
  stop.abort();
  return { heard: await reading, tookMs };
}
