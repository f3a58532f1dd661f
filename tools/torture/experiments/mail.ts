import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, startOn } from '../arena.ts';
import { MOMENTS_OF_A_MAIL, type Outbox, openOutbox } from '../outbox.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';

/** Mails due before each kill; a publisher may get two hundred per hour. */
const MAILS = 4;
/** Mails go out every five seconds. */
const SENT_MS = 60_000;

/** Kills the store while it sends mails, and restarts it. */
async function killWhileSending(arena: Arena, outbox: Outbox, { random }: Setup): Promise<string[]> {
  let remaining = 1 + random.below(MAILS * MOMENTS_OF_A_MAIL - MOMENTS_OF_A_MAIL);
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  outbox.watch(() => {
    remaining -= 1;
    if (remaining === 0) resolve();
  });
  for (let n = 0; n < MAILS; n += 1) {
    const status = await outbox.approve(arena.client);
    if (status !== 200) return [`an approval returned ${status}`];
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
      // On S3, another process that shares the outbox keeps sending.
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

/** kill -9 while mails are sent to a real mail server. `count` is the kills. */
export const mail: Experiment = {
  name: 'mail',
  backends: ['sqlite', 'postgres', 's3'],
  count: 20,
  run,
};
