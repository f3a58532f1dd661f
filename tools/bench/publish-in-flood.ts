import { join } from 'node:path';
import { flood } from '../torture/flood/flood.ts';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, median, percentile, whileStoreRuns } from './lib/processes.ts';

const ROUNDS = 3;

const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Latency of legitimate uploads during a hundred hostile ones, against their latency when idle. */
export const publishInFlood = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(
      join(folder, 'data'),
      async ({ url }) => {
        const [idle, flooded]: [number[], number[]] = [[], []];
        // The first round is a warm-up.
        for (let round = 0; round <= ROUNDS; round += 1) {
          const times = await flood(url, automationAt(url));
          if (round === 0) continue;
          idle.push(...times.idle.map(({ ms }) => ms));
          flooded.push(...times.flooded.map(({ ms }) => ms));
        }
        const [quiet, busy] = [percentile(idle, 0.99), percentile(flooded, 0.99)];
        const halves = `p50 ${ms(median(flooded))} against ${ms(median(idle))}`;
        return {
          name: 'p99 latency of publishing 350 KB bundles during 100 hostile uploads, as a ratio to idle',
          measured: `${ms(busy)} against ${ms(quiet)} (${halves})`,
          value: busy / quiet,
          unit: ' times',
          bound: { most: 5 },
        };
      },
      // Attackers have other addresses.
      { SVC_TRUSTED_PROXIES: '127.0.0.1' },
    ),
  );
