import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, versionsOf } from '../arena.ts';
import { type Disk, type DiskKind, makeDisk, usableDisks } from '../disk.ts';
import { canMount } from '../mounts.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { sqliteBackendIn } from '../site.ts';
import { findingsOf } from '../soundness.ts';
import { runStoreCommand } from '../store-process.ts';
import type { Witness } from '../witness.ts';
import { finalCheck } from './kill.ts';

const WRITERS = 4;
const YANK_EVERY = 2;
const FIRST_STARTS = 3;

/** Every n-th cut follows a command, whose result must be on the disk. */
const COMMAND_EVERY = 4;

/** Maximum time to the first 201 after a start, in milliseconds. */
const FIRST_MS = 180_000;

type Powered = { arena: Arena; disk: Disk; witness: Witness };

/** Cuts the power, and restarts the store. Returns the time of the start in milliseconds. */
async function cut({ arena, disk }: Pick<Powered, 'arena' | 'disk'>): Promise<number> {
  await arena.store.kill();
  await disk.cut();
  const began = performance.now();
  await arena.restart();
  return performance.now() - began;
}

/** Publishes an app and its updates, and yanks some, until the power is cut. */
async function write(powered: Powered, begun: () => void, isOver: () => boolean): Promise<void> {
  const { arena, witness } = powered;
  const { client } = arena;
  const first = { appId: newApp(), version: '1.0.0' };
  if ((await witness.publish(client, first)) !== 201) return;
  begun();
  if ((await witness.approve(client, first)) !== 200) return;
  const next = versionsOf(first.appId);
  for (let n = 1; !isOver(); n += 1) {
    const ref = next();
    if ((await witness.publish(client, ref)) !== 201) return;
    if (n % YANK_EVERY === 0) await witness.yank(client, ref);
  }
}

async function cutWhileWriting(powered: Powered, afterMs: number): Promise<number> {
  let isOver = false;
  const begun = Promise.withResolvers<void>();
  const one = () => write(powered, begun.resolve, () => isOver);
  const writing = Promise.all(Array.from({ length: WRITERS }, one));
  const isLate = await Promise.race([begun.promise, sleep(FIRST_MS, true, { ref: false })]);
  if (isLate) throw new Error('A store that was started after a cut does not publish.');
  await sleep(afterMs);
  await powered.arena.store.kill();
  isOver = true;
  await writing;
  return cut(powered);
}

type After = (powered: Powered, backup: string) => Promise<string[]>;

async function runToTheEnd(arena: Arena, words: readonly string[]): Promise<string[]> {
  const { code, said } = await runStoreCommand(arena.site.settings(), words);
  return code === 0 ? [] : [`${words.join(' ')} ended with ${code}: ${said}`];
}

/** The result of a command must survive an immediate power cut. */
const COMMANDS: readonly After[] = [
  async (powered) => {
    const { arena } = powered;
    const before = (await arena.client.keys()).at(-1)?.keyId;
    const faults = await runToTheEnd(arena, ['keys', 'rotate']);
    await cut(powered);
    const after = (await arena.client.keys()).at(-1)?.keyId;
    return [...faults, ...(after === before ? ['a rotation that was acknowledged is lost'] : [])];
  },
  async (powered, backup) => {
    const { arena } = powered;
    const faults = await runToTheEnd(arena, ['backup', backup, '--with-keys']);
    await cut(powered);
    return [...faults, ...(await runToTheEnd(arena, ['restore', backup, '--check']))];
  },
  async (powered) => {
    const faults = await runToTheEnd(powered.arena, ['sweep', '--older-than', '0']);
    await cut(powered);
    return faults;
  },
  async (powered, backup) => {
    const { arena } = powered;
    await arena.store.stop();
    const faults = await runToTheEnd(arena, ['backup', backup, '--with-keys']);
    faults.push(...(await runToTheEnd(arena, ['restore', backup, '--force'])));
    await cut(powered);
    return faults;
  },
];

/** Cuts the power at random moments of a first start. */
async function firstStarts(disk: Disk, data: string, { random }: Setup): Promise<void> {
  for (let n = 0; n < FIRST_STARTS; n += 1) {
    await runStoreCommand({ SVC_DATA_DIR: data }, [], 300 + random.below(1_500));
    await disk.cut();
  }
}

async function cutOn(kind: DiskKind, setup: Setup): Promise<Outcome> {
  const disk = await makeDisk(kind);
  const data = join(disk.folder, 'data');
  const times: number[] = [];
  try {
    await firstStarts(disk, data, setup);
    const seen = await experimentIn(sqliteBackendIn(data), async (arena) => {
      const { witness } = arena;
      const powered = { arena, disk, witness };
      const failures: string[] = [];
      for (let n = 1; n <= setup.count; n += 1) {
        times.push(await cutWhileWriting(powered, setup.random.below(2_500)));
        const faults = await witness.faults(arena.client);
        const command = COMMANDS[(n / COMMAND_EVERY - 1) % COMMANDS.length];
        if (command) faults.push(...(await command(powered, join(disk.folder, 'backup'))));
        faults.push(...(await findingsOf(arena.site, 'bytes')).faults);
        failures.push(...faults.map((fault) => `cut ${n}: ${fault}`));
      }
      failures.push(...(await finalCheck(arena)));
      const slowest = Math.round(Math.max(...times));
      const counts = `${FIRST_STARTS + times.length} cuts and ${Math.floor(times.length / COMMAND_EVERY)} after commands, recovered within ${slowest} ms`;
      return { counts, failures };
    });
    return {
      counts: `${kind}: ${seen.counts}`,
      failures: seen.failures.map((fault) => `${kind}, ${fault}`),
    };
  } finally {
    await disk.remove();
  }
}

async function run(setup: Setup): Promise<Outcome> {
  if (!(await canMount())) return { counts: 'skipped: mounts are not allowed on this machine', failures: [] };
  const { kinds, missing } = await usableDisks();
  const outcomes: Outcome[] = [];
  for (const kind of kinds) outcomes.push(await cutOn(kind, setup));
  return {
    counts: [...outcomes.map(({ counts }) => counts), ...missing].join('; '),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** Power cuts: unsynced data is lost, including directory entries. `count` is the cuts on each file system. */
export const power: Experiment = { name: 'power', backends: ['sqlite'], count: 24, run };
