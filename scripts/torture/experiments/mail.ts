import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, startOn } from '../arena.ts';
import { MOMENTS_OF_A_MAIL, type Outbox, openOutbox } from '../outbox.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';

/** Mails that are owed before each kill; of an hour a publisher has two hundred. */
const MAILS = 4;
/** Mails go out every five seconds. */
const SENT_MS = 60_000;

/** Kills the store so many moments into the next mails, and starts it again. */
async function killWhileSending(arena: Arena, outbox: Outbox, { random }: Setup): Promise<string[]> {
  let left = 1 + random.below(MAILS * MOMENTS_OF_A_MAIL - MOMENTS_OF_A_MAIL);
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  outbox.watch(() => {
    left -= 1;
    if (left === 0) resolve();
  });
  for (let n = 0; n < MAILS; n += 1) {
    const status = await outbox.approve(arena.client);
    if (status !== 200) return [`an approval was answered ${status}`];
  }
  const isLate = await Promise.race([reached, sleep(SENT_MS, true, { ref: false })]);
  await sleep(random.below(10));
  await arena.store.kill();
  outbox.watch(null);
  await arena.restart();
  return isLate ? ['no mails were sent'] : [];
}

async function run(setup: Setup): Promise<Outcome> {
  const { backend, count } = setup;
  const outbox = await openOutbox();
  try {
    return await experimentIn(outbox.mailing(backend), async (arena) => {
      await outbox.addMember(arena.site);
      // Where several processes share the outbox, another one sends beside those that die.
      const other = backend.name === 's3' ? await startOn(arena.site, 1) : null;
      try {
        const failures: string[] = [];
        for (let n = 0; n < count; n += 1) failures.push(...(await killWhileSending(arena, outbox, setup)));
        failures.push(...(await outbox.faults(arena.site, arena.store.shiftClock)));
        return { counts: `${count} kills; ${outbox.count()}`, failures };
      } finally {
        await other?.stop();
      }
    });
  } finally {
    await outbox.close();
  }
}

/** kill -9 while mails are sent to a real mail server. `count` is kills. */
export const mail: Experiment = {
  name: 'mail',
  backends: ['sqlite', 'postgres', 's3'],
  count: 20,
  run,
};
