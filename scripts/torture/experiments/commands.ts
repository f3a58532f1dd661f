import { readdir, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../apps/store/src/adapters/database/migrations.ts';
import { type Arena, experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { clientOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Backend } from '../site.ts';
import { runStoreCommand } from '../store-process.ts';
import { createWitness, type Witness } from '../witness.ts';
import { lastLook } from './kill.ts';

/** Kills come at random moments from here to the end of a command, by its own duration: Node itself starts before. */
const FROM = 0.3;

const momentIn = (ms: number, { random }: Setup): number => ms * (FROM + random.below(1000) / 1000);

type Seen = { kills: number; failures: string[] };

/** A first start that is killed leaves nothing that keeps the next one from being a store. */
async function firstStarts({ backend, random, count }: Setup): Promise<Seen> {
  const failures: string[] = [];
  const site = await backend.open();
  try {
    for (let n = 0; n < count; n += 1) {
      const run = await runStoreCommand(site.settings(), [], 150 + random.below(900));
      if (run.code !== null) failures.push(`a first start ended by itself: ${run.said}`);
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

/** A migration that is killed is undone, or done. */
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
    if (status !== 200) failures.push(`migration: /readyz answered ${status} afterwards`);
    await store.stop();
    return { kills, failures };
  } finally {
    await site.close();
  }
}

type Command = {
  words(arena: Arena): string[];
  /** What an operator does about what a killed one left, as docs/operating.md says, before it is run again. */
  tidy?(arena: Arena): Promise<unknown>;
  /** Whether the store must not run beside it. */
  alone?: boolean;
  only?: Backend['name'][];
};

const dataOf = ({ site }: Arena): string => site.settings().SVC_DATA_DIR as string;
const backupOf = (arena: Arena): string => `${dataOf(arena)}-backup`;
const keysOf = (arena: Arena): string => `${dataOf(arena)}/keys`;

const removeNext = async (arena: Arena) => {
  const names = await readdir(keysOf(arena)).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.pem.next'))) await rm(`${keysOf(arena)}/${name}`);
};

const COMMANDS: readonly Command[] = [
  { words: () => ['prepare'] },
  { words: () => ['sweep'] },
  { words: (arena) => ['backup', backupOf(arena), '--with-keys'], only: ['sqlite'] },
  { words: () => ['keys', 'rotate'], tidy: removeNext, only: ['sqlite', 'postgres'] },
  // It follows the keys and all that was published: what comes after a backup is not in a restore.
  { words: (arena) => ['backup', backupOf(arena), '--with-keys'], alone: true, only: ['sqlite'] },
  {
    words: (arena) => ['restore', backupOf(arena), '--force'],
    tidy: (arena) => rm(`${dataOf(arena)}/restoring`, { recursive: true, force: true }),
    alone: true,
    only: ['sqlite'],
  },
];

/** The line by which a command says that the key named is not the store's any more: the one before was killed after its end. */
const IS_DONE = /this store signs with/;

/**
 * Loses the key of a store that is stopped, and kills the command that begins with another. Run again it ends, or says that
 * it had. Each loss is one, so the next begins with the key that the last one made.
 */
async function declareLost(arena: Arena, witness: Witness, setup: Setup): Promise<Seen> {
  const settings = arena.site.settings();
  const file = settings.SVC_SIGNING_KEY_FILE ?? `${keysOf(arena)}/signing-key.pem`;
  const failures: string[] = [];
  let kills = 0;
  // Longer than it takes here: the first kills may come too late, and the next ones are measured by it.
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
    if (last.code !== 0 && !IS_DONE.test(last.said)) failures.push(`ended with ${last.code}: ${last.said}`);
    await arena.restart();
    const next = (await arena.client.keys()).at(-1)?.keyId;
    if (next === lost) failures.push('the lost key is in force still');
    await witness.pin(arena.client);
    failures.push(...(await witness.faults(arena.client)));
  }
  return { kills, failures: failures.map((fault) => `keys declare-lost: ${fault}`) };
}

/** Kills a command at random moments, tidies up as documented, and lets it end at last. */
async function killCommand(arena: Arena, command: Command, setup: Setup): Promise<Seen> {
  const words = command.words(arena);
  const run = (ms?: number) => runStoreCommand(arena.site.settings(), words, ms);
  const failures: string[] = [];
  let kills = 0;
  if (command.alone) await arena.store.stop();
  const whole = await run();
  if (whole.code !== 0) return { kills, failures: [`${words[0]} ended with ${whole.code}: ${whole.said}`] };
  for (let n = 0; n < setup.count; n += 1) {
    const { code } = await run(momentIn(whole.ms, setup));
    if (code === null) kills += 1;
    await command.tidy?.(arena);
  }
  const last = await run();
  if (last.code !== 0) failures.push(`after kills it ended with ${last.code}: ${last.said}`);
  if (!command.alone) await arena.store.stop();
  await arena.restart();
  return { kills, failures: failures.map((fault) => `${words.slice(0, 2).join(' ')}: ${fault}`) };
}

/** A pause between two publishes beside a command: each of their versions is looked at again after every command. */
const BESIDE_MS = 250;

async function workBeside(arena: Arena, witness: Witness, isOver: () => boolean): Promise<void> {
  const appId = newApp();
  await publishFirst(arena.client, appId);
  const next = versionsOf(appId);
  while (!isOver()) {
    await witness.publish(arena.client, next()).catch(() => 0);
    await sleep(BESIDE_MS);
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
        const beside = command.alone ? Promise.resolve() : workBeside(arena, witness, () => isOver);
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
      failures.push(...lost.failures, ...(await lastLook(arena)));
    } finally {
      await rm(backupOf(arena), { recursive: true, force: true });
    }
    return { counts: `kills: ${counts.join(', ')}`, failures };
  });
}

/** kill -9 in a first start, a migration, and every command of `svc-store`. `count` is kills of each. */
export const commands: Experiment = {
  name: 'commands',
  backends: ['sqlite', 'postgres', 's3'],
  count: 10,
  run,
};
