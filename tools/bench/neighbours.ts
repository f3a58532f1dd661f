import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseIn } from '../../apps/store/src/adapters/disk/data-folder.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import { loadIntoSqlite } from '../../apps/store/test/support/load-catalogue.ts';
import { begin, sign } from './growth.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, percentile, type Running, whileStoreRuns } from './lib/processes.ts';
import { memoryOf } from './store-memory.ts';

const APPS = 100_000;
const PAGES = 400;
const ENTRIES = 10_000;
const FEED_APP = 'com.corpus.app7';

/** A running store with a catalogue. */
export const withApps = <T>(
  size: number,
  work: (store: Running) => Promise<T>,
  change?: (file: string) => void,
) =>
  inTempFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const keyId = await begin(dataDir);
    await loadIntoSqlite(databaseIn(dataDir), size);
    await sign(openSqlite(databaseIn(dataDir)), keyId);
    change?.(databaseIn(dataDir));
    return whileStoreRuns(dataDir, work);
  });

export async function timed({ url }: Running, path: string): Promise<{ ms: number; text: string }> {
  const began = performance.now();
  const answer = await fetch(url + path);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}.`);
  return { ms: performance.now() - began, text };
}

/** Walks the pages of two lists in turn, so that noise affects both; each page is asked for once. */
async function walk(store: Running) {
  const lists = {
    ours: { path: '/api/apps/catalog?limit=100&sort=name', cursor: '', ms: [] as number[] },
    registry: { path: '/v0.1/servers?limit=100&version=latest', cursor: '', ms: [] as number[] },
  };
  for (let n = 0; n < PAGES; n += 1) {
    for (const list of Object.values(lists)) {
      const more = list.cursor === '' ? '' : `&cursor=${encodeURIComponent(list.cursor)}`;
      const { ms, text } = await timed(store, list.path + more);
      const page = JSON.parse(text) as { nextCursor?: string; metadata?: { nextCursor?: string } };
      list.cursor = page.nextCursor ?? page.metadata?.nextCursor ?? '';
      list.ms.push(ms);
    }
  }
  return lists;
}

/** Gives an app so many versions that its feed has them to choose from. */
function addVersions(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('begin');
  const columns =
    'app_id, publisher, state, sha256, size, manifest_json, readme, changelog, files_json, issues_json, submitted_at, submitted_by, published_at, signature, key_id, name';
  const add = database.prepare(
    `insert into versions (version, superseded, ${columns}) select ?, 1, ${columns} from versions where app_id = ? and version = '1.0.0'`,
  );
  for (let n = 1; n < ENTRIES; n += 1) add.run(`0.${n}.0`, FEED_APP);
  database.exec('commit');
  database.close();
}

/** What other programs read of a store with 100,000 apps: the registry, feeds, policy files. */
export const neighbours = (): Promise<Figure[]> =>
  withApps(
    APPS,
    async (store) => {
      const { ours, registry } = await walk(store);
      const p99 = [ours, registry].map(({ ms }) => percentile(ms.slice(20), 0.99)) as [number, number];
      // Each feed is made once, and then kept; those of another app load the code.
      const feeds: number[] = [];
      for (const format of ['atom', 'json']) await timed(store, `/feeds/apps/com.corpus.app8.${format}`);
      for (const format of ['atom', 'json'])
        feeds.push((await timed(store, `/feeds/apps/${FEED_APP}.${format}`)).ms);
      const first = await timed(store, '/policy/marketplace.json');
      await new Promise((resolve) => setTimeout(resolve, 31_000));
      const again = await timed(store, '/policy/marketplace.json');
      return [
        {
          name: `Pages of 100 of the MCP registry against those of the catalogue, of ${APPS} apps, each asked for once`,
          measured: `p99 ${p99[1].toFixed(1)} ms against ${p99[0].toFixed(1)} ms; p50 ${median(registry.ms).toFixed(1)} and ${median(ours.ms).toFixed(1)} ms`,
          value: p99[1] / p99[0],
          unit: ' times',
          bound: { most: 1.5 },
        },
        {
          name: `A feed of an app with ${ENTRIES} versions, not cached`,
          measured: `Atom and JSON Feed: ${feeds.map((ms) => ms.toFixed(1)).join(' and ')} ms`,
          value: Math.max(...feeds),
          unit: ' ms',
          bound: { most: 20 },
        },
        {
          name: `A policy file of ${APPS} apps, made again after 30 seconds, against the first time`,
          measured: `${again.ms.toFixed(0)} ms against ${first.ms.toFixed(0)} ms, ${(again.text.length / 1e6).toFixed(1)} MB`,
          value: again.ms / first.ms,
          unit: ' times',
          bound: { most: 0.5 },
        },
      ];
    },
    addVersions,
  );

const MANY = 1_000_000;

/** The whole sitemap of a million apps, and what reading it adds to the memory of the store. */
export const sitemap = (): Promise<Figure> =>
  withApps(MANY, async (store) => {
    await timed(store, '/');
    const before = memoryOf(store);
    const index = await timed(store, '/sitemap.xml');
    const parts = [...index.text.matchAll(/\/sitemaps\/(\d+)</g)].map(([, part]) => part);
    let [apps, most] = [0, before];
    const began = performance.now();
    for (const part of parts) {
      const { text } = await timed(store, `/sitemaps/${part}`);
      apps += text.split('<lastmod>').length - 1;
      most = Math.max(most, memoryOf(store));
    }
    if (apps !== MANY) throw new Error(`The sitemap has ${apps} apps.`);
    return {
      name: `Memory of a store for the sitemap of ${MANY} apps, read from end to end`,
      measured: `${most.toFixed(0)} MB at most, against ${before.toFixed(0)} MB before; ${parts.length} parts in ${((performance.now() - began) / 1_000).toFixed(0)} s, index ${index.ms.toFixed(0)} ms`,
      value: most - before,
      unit: ' MB',
      bound: { most: 60 },
    };
  });
