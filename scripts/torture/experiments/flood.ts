import { automationOf } from '@svc/testkit';
import { flood } from '../flood/flood.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { ADMIN_TOKEN, startStoreProcess } from '../store-process.ts';

/** How many times longer than at rest an honest upload may take. */
const MAX_RATIO = 5;

const ms = (value: number): string => `${Math.round(value)} ms`;

async function run({ backend, count }: Setup): Promise<Outcome> {
  const site = await backend.open();
  const store = await startStoreProcess({ ...site.settings(), SVC_TRUSTED_PROXIES: '127.0.0.1' });
  const failures: string[] = [];
  const said: string[] = [];
  try {
    for (let round = 1; round <= count; round += 1) {
      const { idle, flooded, answers } = await flood(store.url, automationOf(store.url, ADMIN_TOKEN));
      const [rest, worst] = [Math.max(...idle), Math.max(...flooded)];
      const told = answers.map(([status, times]) => `${times} × ${status}`).join(', ');
      said.push(
        `${flooded.length} honest uploads took ${ms(worst)} at most, ${ms(rest)} at rest (hostile: ${told})`,
      );
      if (worst > MAX_RATIO * rest) failures.push(`round ${round}: an honest upload took ${ms(worst)}`);
    }
    const left = await site.blobs.incoming();
    if (store.isGone()) failures.push('the store died');
    return { counts: `${said.join('; ')}; ${left.length} uploads on their way`, failures };
  } finally {
    await store.stop();
    await site.close();
  }
}

/** A hundred hostile uploads at once beside honest ones, each of which must be answered 201. `count` is rounds. */
export const floodExperiment: Experiment = { name: 'flood', backends: ['sqlite', 'postgres'], count: 3, run };
