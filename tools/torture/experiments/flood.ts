import { automationOf } from '@svc/testkit';
import { experimentIn } from '../arena.ts';
import { flood, type Honest } from '../flood/flood.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { faultsOfAllPublished } from '../promises.ts';
import { behindProxy } from '../site.ts';
import { ADMIN_TOKEN } from '../store-process.ts';

/** Maximum slowdown of a legitimate upload under attack. */
const MAX_RATIO = 5;

const ms = (value: number): string => `${Math.round(value)} ms`;

const slowest = (honest: readonly Honest[]): number => Math.max(...honest.map((one) => one.ms));

const run = ({ backend, count }: Setup): Promise<Outcome> =>
  experimentIn(behindProxy(backend), async ({ site, store, client }) => {
    const [atRest, beside]: [Honest[], Honest[]] = [[], []];
    const failures: string[] = [];
    const said: string[] = [];
    // The first round is a warm-up.
    for (let round = 0; round <= count; round += 1) {
      const { idle, flooded, answers } = await flood(store.url, automationOf(store.url, ADMIN_TOKEN));
      failures.push(...(await faultsOfAllPublished(client, [...idle, ...flooded])));
      if (round === 0) continue;
      atRest.push(...idle);
      beside.push(...flooded);
      said.push(answers.map(([status, times]) => `${times} × ${status}`).join(', '));
    }
    const [rest, worst] = [slowest(atRest), slowest(beside)];
    if (worst > MAX_RATIO * rest) failures.push(`a legitimate upload took ${ms(worst)}`);
    const remaining = await site.blobs.incoming();
    if (store.isGone()) failures.push('the store died');
    const counts = `${beside.length} legitimate uploads took ${ms(worst)} at most, ${ms(rest)} at rest (hostile: ${said.join('; ')})`;
    return { counts: `${counts}; ${remaining.length} unfinished uploads`, failures };
  });

/** A hundred concurrent hostile uploads; every legitimate upload must return 201. `count` is the rounds. */
export const floodExperiment: Experiment = { name: 'flood', backends: ['sqlite', 'postgres'], count: 3, run };
