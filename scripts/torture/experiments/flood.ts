import { automationOf } from '@svc/testkit';
import { experimentIn } from '../arena.ts';
import { flood, type Honest } from '../flood/flood.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { faultsOfAllPublished } from '../promises.ts';
import type { Backend } from '../site.ts';
import { ADMIN_TOKEN } from '../store-process.ts';

/** How many times longer than at rest an honest upload may take. */
const MAX_RATIO = 5;

const ms = (value: number): string => `${Math.round(value)} ms`;

const slowest = (honest: readonly Honest[]): number => Math.max(...honest.map((one) => one.ms));

/** The same back end, whose stores believe the addresses that the flood says it comes from. */
const behindProxy = (backend: Backend): Backend => ({
  ...backend,
  async open() {
    const site = await backend.open();
    return {
      ...site,
      settings: (process) => ({ ...site.settings(process), SVC_TRUSTED_PROXIES: '127.0.0.1' }),
    };
  },
});

const run = ({ backend, count }: Setup): Promise<Outcome> =>
  experimentIn(behindProxy(backend), async ({ site, store, client }) => {
    const failures: string[] = [];
    const said: string[] = [];
    for (let round = 1; round <= count; round += 1) {
      const { idle, flooded, answers } = await flood(store.url, automationOf(store.url, ADMIN_TOKEN));
      const [rest, worst] = [slowest(idle), slowest(flooded)];
      const told = answers.map(([status, times]) => `${times} × ${status}`).join(', ');
      said.push(
        `${flooded.length} honest uploads took ${ms(worst)} at most, ${ms(rest)} at rest (hostile: ${told})`,
      );
      if (worst > MAX_RATIO * rest) failures.push(`round ${round}: an honest upload took ${ms(worst)}`);
      failures.push(...(await faultsOfAllPublished(client, [...idle, ...flooded])));
    }
    const left = await site.blobs.incoming();
    if (store.isGone()) failures.push('the store died');
    return { counts: `${said.join('; ')}; ${left.length} uploads on their way`, failures };
  });

/** A hundred hostile uploads at once beside honest ones, each of which must be answered 201. `count` is rounds. */
export const floodExperiment: Experiment = { name: 'flood', backends: ['sqlite', 'postgres'], count: 3, run };
