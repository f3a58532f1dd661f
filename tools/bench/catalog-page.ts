import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, publishApps, ROOT, whileServing, whileStoreRuns } from './lib/processes.ts';
import { compareRequests } from './lib/requests-per-second.ts';

const APPS = 100;

/** A cached page of 100 apps, against node:http sending the same bytes; alternating rounds, median ratio. */
export const catalogPage = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(join(folder, 'data'), async ({ url: store }) => {
      await publishApps(store, APPS);
      const page = await (await fetch(`${store}/api/apps/catalog`)).arrayBuffer();
      const file = join(folder, 'page.json');
      writeFileSync(file, Buffer.from(page));
      return whileServing([join(ROOT, 'tools/bench/bare-server.ts'), file], {}, async ({ url: bare }) => {
        const { ours, floor, ratio } = await compareRequests({
          ours: `${store}/api/apps/catalog`,
          floor: bare,
        });
        return {
          name: `Cached catalogue page of ${APPS} apps (${Math.round(page.byteLength / 1024)} KiB) against bare node:http`,
          measured: `${Math.round(ours)} against ${Math.round(floor)} requests/s`,
          value: ratio,
          unit: '',
          bound: { least: 0.85 },
        };
      });
    }),
  );
