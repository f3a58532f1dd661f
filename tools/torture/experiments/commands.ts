import { readdir, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../apps/store/src/adapters/database/migrations.ts';
import { type Arena, experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { clientOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Backend } from '../site.ts';
import { runStoreCommand } from '../store-process.ts';
import { createWitness, type Witness } from '../witness.ts';
import { finalCheck } from './kill.ts';

/** Kills come at random moments after this fraction of a command's duration: before it, Node itself starts. */
const FROM = 0.3;

const momentIn = (ms: number, { random }: Setup): number => ms * (FROM + random.below(1000) / 1000);

type Seen = { kills: number; failures: string[] };

/** A killed first start must not prevent the next start. */
async function firstStarts({ backend, random, count }: Setup): Promise<Seen> {
  const failures: string[] = [];
  const site = await backend.open();
  try {
    for (let n = 0; n < count; n += 1) {
      const run = await runStoreCommand(site.settings(), [], 150 + random.below(900));
      if (run.code !== null) failures.push(`a first start exited early: ${run.said}`);
    }
    const store = await startOn(site);
    const client = clientOf(store.url);
    await client.makePublisher('example');
    const witness = await createWitness(client);
    await witness.publish(client, { appId: newApp(), version: '1.0.0' });
    failures.push(...(await witness.faults(client)));
    await store.stop();
  } finally {
    await site.close();
  }
  return { kills: count, failures: failures.map((fault) => `first start: ${fault}`) };
}

/** A killed migration is rolled back, or complete. */
async function migrations({ backend, random, count }: Setup): Promise<Seen> {
  const site = await backend.open();
  try {
    const db = await site.openDatabase();
    await migrate(db, '0005-review-queue').finally(() => db.destroy());
    const failures: string[] = [];
    let kills = 0;
    for (let n = 0; n < count; n += 1) {
      const { code } = await runStoreCommand(site.settings(), [], 150 + random.below(700));
      if (code === null) kills += 1;
    }
    const store = await startOn(site);
    const { status } = await clientOf(store.url).get('/readyz');
    if (status !== 200) failures.push(`migration: /readyz returned ${status} afterwards`);
    await store.stop();
    return { kills, failures };
  } finally {
    await site.close();
  }
}

type Command = {
  words(arena: Arena): string[];
  /** Cleanup after a killed command, as in docs/backup.md, before it runs again. */
  tidy?(arena: Arena): Promise<unknown>;
  /** Whether the store must be stopped. */
  alone?: boolean;
  only?: Backend['name'][];
};

const dataOf = ({ site }: Arena): string => site.settings().SVC_DATA_DIR as string;
const backupOf = (arena: Arena): string => `${dataOf(arena)}-backup`;
const keysOf = (arena: Arena): string => `${dataOf(arena)}/keys`;

const removeNext = async (arena: Arena) => {
  const names = await readdir(keysOf(arena)).catch(() => []);
  for (const name of names.filter((file) => file.endsWith('.pem.next'))) await rm(`${keysOf(arena)}/${name}`);
};

const COMMANDS: readonly Command[] = [
  { words: () => ['prepare'] },
  { words: () => ['sweep'] },
  { words: (arena) => ['backup', backupOf(arena), '--with-keys'], only: ['sqlite'] },
  { words: () => ['keys', 'rotate'], tidy: removeNext, only: ['sqlite', 'postgres'] },
  // Comes after the keys and all publishing: data after the backup is not in a restore.
  { words: (arena) => ['backup', backupOf(arena), '--with-keys'], alone: true, only: ['sqlite'] },
  {
    words: (arena) => ['restore', backupOf(arena), '--force'],
    tidy: (arena) => rm(`${dataOf(arena)}/restoring`, { recursive: true, force: true }),
    alone: true,
    only: ['sqlite'],
  },
];

/** Output that the named key is no longer the store's: the previous run was killed after it had finished. */
const IS_DONE = /this store signs with/;

/**
 * Deletes the key of a stopped store, and kills the command that declares it lost. Run again, the command succeeds, or reports that
 * it had succeeded. Each round starts with the key of the previous one.
 */
async function declareLost(arena: Arena, witness: Witness, setup: Setup): Promise<Seen> {
  const settings = arena.site.settings();
  const file = settings.SVC_SIGNING_KEY_FILE ?? `${keysOf(arena)}/signing-key.pem`;
  const failures: string[] = [];
  let kills = 0;
  // An upper bound: the first kills may come too late, and later ones use the measured time.
  let ms = 1_500;
  for (let n = 0; n < setup.count; n += 1) {
    const lost = (await arena.client.keys()).at(-1)?.keyId as string;
    await arena.store.stop();
    for (const name of [file, `${file}.chain.json`]) await rm(name, { force: true });
    const words = ['keys', 'declare-lost', lost];
    const killed = await runStoreCommand(settings, words, momentIn(ms, setup));
    if (killed.code === null) kills += 1;
    else ms = killed.ms;
    const last = await runStoreCommand(settings, words);
    if (last.code !== 0 && !IS_DONE.test(last.said)) failures.push(`exited with ${last.code}: ${last.said}`);
    await arena.restart();
    const next = (await arena.client.keys()).at(-1)?.keyId;
    if (next === lost) failures.push('the lost key is still in use');
    await witness.pin(arena.client);
    failures.push(...(await witness.faults(arena.client)));
  }
  return { kills, failures: failures.map((fault) => `keys declare-lost: ${fault}`) };
}

/** Kills a command at random moments, cleans up as documented, and finally lets it finish. */
async function killCommand(arena: Arena, command: Command, setup: Setup): Promise<Seen> {
  const words = command.words(arena);
  const run = (ms?: number) => runStoreCommand(arena.site.settings(), words, ms);
  const failures: string[] = [];
  let kills = 0;
  if (command.alone) await arena.store.stop();
  const whole = await run();
  if (whole.code !== 0) return { kills, failures: [`${words[0]} exited with ${whole.code}: ${whole.said}`] };
  for (let n = 0; n < setup.count; n += 1) {
    const { code } = await run(momentIn(whole.ms, setup));
    if (code === null) kills += 1;
    await command.tidy?.(arena);
  }
  const last = await run();
  if (last.code !== 0) failures.push(`after kills it exited with ${last.code}: ${last.said}`);
  if (!command.alone) await arena.store.stop();
  await arena.restart();
  return { kills, failures: failures.map((fault) => `${words.slice(0, 2).join(' ')}: ${fault}`) };
}

/** Pause between publishes during a command. Every version is checked after every command. */
const PUBLISH_PAUSE_MS = 250;

async function publishMeanwhile(arena: Arena, witness: Witness, isOver: () => boolean): Promise<void> {
  const appId = newApp();
  await publishFirst(arena.client, appId);
  const next = versionsOf(appId);
  while (!isOver()) {
    await witness.publish(arena.client, next()).catch(() => 0);
    await sleep(PUBLISH_PAUSE_MS);
  }
}

const nameOf = (words: readonly string[]): string =>
  words[0] === 'keys' ? words.slice(0, 2).join(' ') : (words[0] as string);

async function run(setup: Setup): Promise<Outcome> {
  const first = await firstStarts(setup);
  const migration = await migrations(setup);
  return experimentIn(setup.backend, async (arena) => {
    const { witness } = arena;
    await witness.yank(arena.client, await publishFirst(arena.client, newApp()));
    const counts = [`${first.kills} in first start`, `${migration.kills} in migration`];
    const failures = [...first.failures, ...migration.failures];
    try {
      for (const command of COMMANDS.filter(({ only }) => only?.includes(setup.backend.name) ?? true)) {
        let isOver = false;
        const beside = command.alone ? Promise.resolve() : publishMeanwhile(arena, witness, () => isOver);
        const seen = await killCommand(arena, command, setup).finally(() => {
          isOver = true;
        });
        await beside;
        const name = `${nameOf(command.words(arena))}${command.alone ? ' of a stopped store' : ''}`;
        counts.push(`${seen.kills} in ${name}`);
        failures.push(...seen.failures, ...(await witness.faults(arena.client)));
      }
      const lost = await declareLost(arena, witness, setup);
      counts.push(`${lost.kills} in keys declare-lost`);
      failures.push(...lost.failures, ...(await finalCheck(arena)));
    } finally {
      await rm(backupOf(arena), { recursive: true, force: true });
    }
    return { counts: `kills: ${counts.join(', ')}`, failures };
  });
}

/** kill -9 during a first start, a migration, and every command of `svc-store`. `count` is the kills of each. */
export const commands: Experiment = {
  name: 'commands',
  backends: ['sqlite', 'postgres', 's3'],
  count: 10,
  run,
};
