import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { bundleOf, downloadAndVerify, hashOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { runStoreCommand } from '../store-process.ts';
import type { Witness } from '../witness.ts';

type Harm = { name: string; run(file: string): Promise<void> };

const BLOCK = 4096;

async function change(file: string, with_: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(file);
  with_(bytes);
  await writeFile(file, bytes);
}

/** Media faults: a flipped bit, a lost block, an empty file. */
const HARMS: readonly Harm[] = [
  {
    name: 'a bit',
    run: (file) =>
      change(file, (bytes) => {
        const at = bytes.length >> 1;
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      }),
  },
  {
    name: 'a block',
    run: (file) =>
      change(file, (bytes) => {
        const at = Math.floor(bytes.length / 2 / BLOCK) * BLOCK;
        bytes.fill(0, at, Math.min(bytes.length, at + BLOCK));
      }),
  },
  { name: 'all of it', run: (file) => truncate(file, 0) },
];

const dataOf = ({ site }: Arena): string => site.settings().SVC_DATA_DIR as string;

async function largestUnder(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
  return sizes.sort((a, b) => b.size - a.size)[0]?.file as string;
}

/** Every kind of file in the data folder of a store. */
const KINDS: [name: string, find: (dataDir: string) => Promise<string>][] = [
  ['the database', async (dir) => join(dir, 'store.sqlite')],
  ['the log of the database', async (dir) => join(dir, 'store.sqlite-wal')],
  ['a bundle', (dir) => largestUnder(join(dir, 'blobs'))],
  ['the signing key', async (dir) => join(dir, 'keys', 'signing-key.pem')],
  ['the chain of keys', async (dir) => join(dir, 'keys', 'signing-key.pem.chain.json')],
  ['the owner of the bundles', async (dir) => join(dir, 'blobs', 'owner')],
];

/** Every kind of file in a backup. */
const BACKUP_KINDS: [name: string, find: (backup: string) => Promise<string>][] = [
  ['its record', async (dir) => join(dir, 'backup.json')],
  ['its database', (dir) => largestUnder(join(dir, 'parts'))],
  ['a bundle of it', (dir) => largestUnder(join(dir, 'blobs'))],
];

type Verdict = 'refused' | 'detected by clients' | 'unaffected';

/** Checks the served bundles: correct, or rejected by clients that verify. */
async function checkServing(
  arena: Arena,
  refs: readonly Ref[],
): Promise<{ verdict: Verdict; faults: string[] }> {
  let verdict: Verdict = 'unaffected';
  const faults: string[] = [];
  for (const ref of refs) {
    const found = await downloadAndVerify(arena.client, ref).catch(() => null);
    const isRight = found && hashOf(found.bytes) === hashOf(bundleOf(ref));
    if (found?.verification.ok && !isRight) faults.push(`${ref.appId} verifies with other bytes`);
    if (!found?.verification.ok) verdict = 'detected by clients';
  }
  return { verdict, faults };
}

/** Starts a store with a corrupt file. A refusal must be a message, not a stack trace. */
async function startOver(arena: Arena, refs: readonly Ref[]) {
  try {
    await arena.restart();
  } catch (error) {
    const said = (error as Error).message;
    const isWords = /svc-store: (?!.*\n\s+at )/.test(said);
    return { verdict: 'refused' as const, faults: isWords ? [] : [`no readable message: ${said}`] };
  }
  const seen = await checkServing(arena, refs);
  await arena.store.stop();
  return seen;
}

async function harmStore(
  arena: Arena,
  backup: string,
  refs: readonly Ref[],
  witness: Witness,
  count: number,
) {
  const dataDir = dataOf(arena);
  const counts = new Map<Verdict, number>();
  const failures: string[] = [];
  // Killed, so that the last commits are only in the WAL.
  await arena.store.kill();
  const whole = `${dataDir}-whole`;
  await cp(dataDir, whole, { recursive: true, preserveTimestamps: true });
  for (const [kind, find] of KINDS.slice(0, count)) {
    for (const harm of HARMS) {
      const file = await find(dataDir);
      if (!(await stat(file).catch(() => null))) continue;
      await harm.run(file);
      const { verdict, faults } = await startOver(arena, refs);
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      failures.push(...faults.map((fault) => `${harm.name} of ${kind}: ${fault}`));
      await rm(dataDir, { recursive: true });
      await cp(whole, dataDir, { recursive: true, preserveTimestamps: true });
    }
  }
  // The documented recovery: restore the backup, which includes the keys.
  await rm(join(dataDir, 'keys'), { recursive: true });
  const restored = await runStoreCommand(arena.site.settings(), ['restore', backup, '--force']);
  if (restored.code !== 0) failures.push(`a restore ended with ${restored.code}: ${restored.said}`);
  await arena.restart();
  failures.push(...(await witness.faults(arena.client)).map((fault) => `after a restore: ${fault}`));
  await rm(whole, { recursive: true });
  return { failures, counts };
}

async function harmBackup(arena: Arena, backup: string, count: number): Promise<string[]> {
  const failures: string[] = [];
  const run = (...words: string[]) => runStoreCommand(arena.site.settings(), words);
  for (const [kind, find] of BACKUP_KINDS.slice(0, count)) {
    for (const harm of HARMS) {
      await harm.run(await find(backup));
      if ((await run('restore', backup, '--check')).code !== 1)
        failures.push(`${harm.name} of ${kind} was not detected by --check`);
      const again = await run('backup', backup, '--with-keys');
      const { code, said } = await run('restore', backup, '--check');
      if (again.code !== 0 || code !== 0)
        failures.push(`${harm.name} of ${kind} was not repaired: ${again.said} ${said}`);
    }
  }
  return failures;
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return experimentIn(backend, async (arena) => {
    const { witness } = arena;
    const appId = newApp();
    await publishFirst(arena.client, appId);
    const next = versionsOf(appId);
    const refs = [next(), next(), next()];
    for (const ref of refs) await witness.publish(arena.client, ref);
    await witness.yank(arena.client, await publishFirst(arena.client, newApp()));
    const backup = `${dataOf(arena)}-backup`;
    try {
      const taken = await runStoreCommand(arena.site.settings(), ['backup', backup, '--with-keys']);
      if (taken.code !== 0) return { counts: 'no backup', failures: [taken.said] };
      const failures = await harmBackup(arena, backup, count);
      const { failures: more, counts } = await harmStore(arena, backup, refs, witness, count);
      const verdicts = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
      const backups = Math.min(count, BACKUP_KINDS.length) * HARMS.length;
      return {
        counts: `store: ${verdicts}; backup: ${backups} detected and repaired`,
        failures: [...failures, ...more],
      };
    } finally {
      await rm(backup, { recursive: true, force: true });
    }
  });
}

/** Media faults in every kind of file, in a store and in its backup. `count` limits the kinds. */
export const media: Experiment = {
  name: 'media',
  backends: ['sqlite'],
  count: Number.POSITIVE_INFINITY,
  run,
};
