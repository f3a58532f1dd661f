import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedSample } from '@svc/testkit';
import { hasNginx, whileNginxServes } from '../lib/nginx.ts';
import type { Figure, LeftOut } from './lib/figure.ts';
import { automationAt, inTempFolder, median, PUBLISHER, upload, whileStoreRuns } from './lib/processes.ts';
import { downloadTimes } from './lib/raw-download.ts';

const MB = 1_000_000;
/** The largest is close to the limit for bundles. */
const SIZES = { small: 100_000, middle: 1_000_000, large: 25_000_000 };
const LEAST = { small: 0.2, middle: 0.3, large: 0.3 };
const AT_ONCE = 4;
const ROUNDS = 7;
/** Bytes per round and server. */
const ROUND_BYTES = 400 * MB;

/** Bytes per second over a few connections. */
async function throughput(url: string, size: number): Promise<number> {
  const times = Math.min(Math.ceil(ROUND_BYTES / size / AT_ONCE), 500);
  const began = performance.now();
  const bytes = await Promise.all(Array.from({ length: AT_ONCE }, () => downloadTimes(url, times)));
  return (bytes.reduce((a, b) => a + b) * 1000) / (performance.now() - began);
}

/** Alternates rounds, so that noise affects both; the first is a warm-up. */
async function compare(ours: string, theirs: string, size: number) {
  const rounds: { ours: number; theirs: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push({ theirs: await throughput(theirs, size), ours: await throughput(ours, size) });
  rounds.shift();
  return {
    ours: median(rounds.map((round) => round.ours)),
    theirs: median(rounds.map((round) => round.theirs)),
    ratio: median(rounds.map((round) => round.ours / round.theirs)),
  };
}

/** Publishes a bundle of about the given size, and puts the same bytes into nginx's folder. Returns its path in the store. */
async function publishBundle(store: string, folder: string, name: keyof typeof SIZES): Promise<string> {
  const id = `com.example.${name}`;
  const bundle = packedSample({ id, name }, { 'assets/noise.bin': randomBytes(SIZES[name]) });
  writeFileSync(join(folder, `${name}.svc-app`), bundle);
  await upload(store, bundle);
  await automationAt(store).approve({ appId: id, version: '1.0.0' });
  return `/api/apps/${id}/versions/1.0.0/bundle`;
}

/** Downloads of the same file from the store and from nginx, both from the page cache. */
export const bundleDownload = (): Promise<(Figure | LeftOut)[]> =>
  inTempFolder(async (folder) => {
    const what = 'Bundles downloaded, 4 concurrent, against nginx (sendfile, one worker) on the same file';
    if (!hasNginx()) return [{ name: what, leftOut: 'there is no nginx here' }];
    return whileStoreRuns(join(folder, 'data'), async ({ url: store }) => {
      await automationAt(store).addPublisher(PUBLISHER);
      const paths = {
        large: await publishBundle(store, folder, 'large'),
        middle: await publishBundle(store, folder, 'middle'),
        small: await publishBundle(store, folder, 'small'),
      };
      return whileNginxServes(folder, async (nginx) => {
        const figures: Figure[] = [];
        for (const name of ['small', 'middle', 'large'] as const) {
          const { ours, theirs, ratio } = await compare(
            store + paths[name],
            `${nginx}/${name}.svc-app`,
            SIZES[name],
          );
          figures.push({
            name: `${what}, of ${SIZES[name] / MB} MB`,
            measured: `${Math.round(ours / MB)} against ${Math.round(theirs / MB)} MB/s`,
            value: ratio,
            unit: '',
            bound: { least: LEAST[name] },
          });
        }
        return figures;
      });
    });
  });
