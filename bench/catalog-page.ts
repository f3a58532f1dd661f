import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, publishApps, ROOT, whileServing, whileStoreRuns } from './lib/processes.ts';

const APPS = 100;
const ROUNDS = 5;
const SECONDS = 4;

async function requestsPerSecond(url: string): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections: 20, duration: SECONDS });
  if (non2xx + errors > 0)
    throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} requests failed`);
  return requests.average;
}

/** A cached page of 100 apps, against node:http sending the same bytes; rounds take turns, the median ratio counts. */
export const catalogPage = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async ({ url: store }) => {
      await publishApps(store, APPS);
      const page = await (await fetch(`${store}/api/apps/catalog`)).arrayBuffer();
      const file = join(folder, 'page.json');
      writeFileSync(file, Buffer.from(page));
      return whileServing([join(ROOT, 'bench/bare-server.ts'), file], {}, async ({ url: bare }) => {
        const rounds: { ours: number; floor: number }[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const floor = await requestsPerSecond(bare);
          rounds.push({ floor, ours: await requestsPerSecond(`${store}/api/apps/catalog`) });
        }
        const ours = median(rounds.map((round) => round.ours));
        const floor = median(rounds.map((round) => round.floor));
        return {
          name: `Cached catalogue page of ${APPS} apps (${Math.round(page.byteLength / 1024)} KiB) against bare node:http`,
          measured: `${Math.round(ours)} against ${Math.round(floor)} requests/s`,
          value: median(rounds.map((round) => round.ours / round.floor)),
          unit: '',
          bound: { least: 0.85 },
        };
      });
    }),
  );
