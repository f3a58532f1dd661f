import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../apps/store/src/adapters/database/migrations.ts';
import { type Arena, inArena, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { browse } from '../browse.ts';
import { clientOf } from '../client.ts';
import { fill, makeRoom, onSmallDisk } from '../full-disk.ts';
import { canMount, mountMemory, resizeMemory, unmount } from '../mounts.ts';
import { openOutbox } from '../outbox.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import type { Backend, Site } from '../site.ts';
import { findingsOf } from '../soundness.ts';
import { runStoreCommand } from '../store-process.ts';
import { type Witness, wellAfter } from '../witness.ts';

const KIB = 1024;
/** Free bytes, so that the disk gets full at different moments: during uploads, renames, and database commits. */
const ROOMS = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384].map((kib) => kib * KIB);
const FEW_ROOMS = [0, 4, 16, 64, 256, 640].map((kib) => kib * KIB);
/** Sizes that are too small for a backup. */
const BACKUP_ROOMS = [8, 64, 256, 512].map((kib) => kib * KIB);
const ENOUGH = 64 * KIB * KIB;

/** The mail job runs every five seconds. */
const MAIL_MS = 12_000;

type Case = { name: string; only?: Backend['name'][]; run(backend: Backend): Promise<string[]> };

const dataOf = (site: Site): string => site.settings().SVC_DATA_DIR as string;

/** Checks an error message: it must be a sentence, not a stack trace. */
const faultsOfMessage = (said: string): string[] =>
  /svc-store: \S/.test(said) && !/\n[ \t]+at /.test(said) ? [] : [`its output: ${said.slice(-500)}`];

/** A start on a full disk works or fails with a message; with free space again, the store starts and is ready. */
async function startFull(site: Site, room: number): Promise<string[]> {
  await fill(dataOf(site), room);
  const refused = await startOn(site).then(
    (store) => store.stop().then(() => null),
    (error: Error) => error.message,
  );
  await makeRoom(dataOf(site));
  const faults = refused === null ? [] : faultsOfMessage(refused);
  const store = await startOn(site);
  try {
    const { status } = await clientOf(store.url).get('/readyz');
    return status === 200 ? faults : [...faults, `/readyz returned ${status} with free space again`];
  } finally {
    await store.stop();
  }
}

async function onSites(backend: Backend, prepare: (site: Site) => Promise<unknown>): Promise<string[]> {
  const faults: string[] = [];
  for (const room of FEW_ROOMS) {
    const site = await backend.open();
    try {
      await prepare(site);
      faults.push(...(await startFull(site, room)).map((fault) => `${room} bytes: ${fault}`));
    } finally {
      await site.close();
    }
  }
  return faults;
}

const firstStart: Case = { name: 'first start', run: (backend) => onSites(backend, async () => {}) };

const migration: Case = {
  name: 'migration',
  only: ['sqlite'],
  run: (backend) =>
    onSites(backend, async (site) => {
      const db = await site.openDatabase();
      await migrate(db, '0005-review-queue').finally(() => db.destroy());
    }),
};

type Work = (arena: Arena, witness: Witness, folder: string) => Promise<string[]>;

/** Runs a case on a store with published and yanked versions, which must be intact afterwards. */
const withStore = (name: string, work: Work, only?: Case['only']): Case => ({
  name,
  ...(only && { only }),
  run: (backend) =>
    inArena(backend, async (arena) => {
      const { witness } = arena;
      await witness.yank(arena.client, await publishFirst(arena.client, newApp()));
      const next = versionsOf((await publishFirst(arena.client, newApp())).appId);
      await witness.publish(arena.client, next());
      const faults = await work(arena, witness, dataOf(arena.site));
      if ((await witness.publish(arena.client, next())) !== 201) faults.push('publishing no longer works');
      const { faults: found } = await findingsOf(arena.site, 'bytes');
      return [...faults, ...found, ...(await witness.faults(arena.client))];
    }),
});

const publishing = withStore('publish', async (arena, witness, folder) => {
  const faults: string[] = [];
  let refused = 0;
  for (const room of ROOMS) {
    const next = versionsOf(newApp());
    await fill(folder, room);
    for (let n = 0; n < 3; n += 1) {
      const status = await witness.publish(arena.client, next());
      if (status === 503) refused += 1;
      else if (status !== 201) faults.push(`with ${room} free bytes, a publish returned ${status}`);
    }
    await makeRoom(folder);
  }
  if (refused === 0) faults.push('the disk was never full');
  const ms = await wellAfter(async () => (await arena.client.get('/readyz')).status === 200);
  return ms === null ? [...faults, 'the store is not ready with free space again'] : faults;
});

const backup = withStore(
  'backup',
  async (arena) => {
    const target = await mkdtemp(join(tmpdir(), 'svc-torture-backup-'));
    const faults: string[] = [];
    const take = () => runStoreCommand(arena.site.settings(), ['backup', target, '--with-keys']);
    try {
      await mountMemory(target, BACKUP_ROOMS[0] as number);
      for (const room of BACKUP_ROOMS) {
        await resizeMemory(target, room);
        const { code, said } = await take();
        if (code !== 0) faults.push(...faultsOfMessage(said));
        else if (room === BACKUP_ROOMS[0]) faults.push('a backup without free space was acknowledged');
      }
      await resizeMemory(target, ENOUGH);
      const { code, said } = await take();
      if (code !== 0) faults.push(`with free space again, it exited with ${code}: ${said}`);
      const check = await runStoreCommand(arena.site.settings(), ['restore', target, '--check']);
      if (check.code !== 0) faults.push(`its check exited with ${check.code}: ${check.said}`);
    } finally {
      await unmount(target);
      await rm(target, { recursive: true, force: true });
    }
    return faults;
  },
  ['sqlite'],
);

const rotation = withStore('keys rotate', async (arena, witness, folder) => {
  const faults: string[] = [];
  for (const room of FEW_ROOMS.slice(0, 5)) {
    const before = (await arena.client.keys()).at(-1)?.keyId;
    await fill(folder, room);
    const { code, said } = await runStoreCommand(arena.site.settings(), ['keys', 'rotate']);
    await makeRoom(folder);
    if (code !== 0) faults.push(...faultsOfMessage(said));
    const keys = join(folder, 'keys');
    for (const name of await readdir(keys)) if (name.endsWith('.next')) await rm(join(keys, name));
    await arena.store.stop();
    await arena.restart();
    const after = (await arena.client.keys()).at(-1)?.keyId;
    if (code === 0 && after === before) faults.push('a rotation that was acknowledged is lost');
    faults.push(...(await witness.faults(arena.client)));
  }
  return faults;
});

/** Sign-ups and device sign-ins on a full disk return 503, and earlier sessions stay valid. */
const signIns = withStore(
  'sessions and device codes',
  async (arena, _witness, folder) => {
    const { url } = arena.store;
    const faults: string[] = [];
    const earlier = await browse(url).signUp('anna@example.com');
    if (earlier.status !== 303) faults.push(`the first sign-up returned ${earlier.status}`);
    const browser = browse(url);
    await browser.open('/sign-up');
    await fill(folder, 0);
    const refused = await browser.submitSignUp('ben@example.com');
    const device = await browse(url).startDevice();
    await makeRoom(folder);
    if (refused.status !== 503) faults.push(`a sign-up returned ${refused.status}`);
    if (device.status !== 503) faults.push(`a device sign-in returned ${device.status}`);
    if (!(await earlier.isSignedIn())) faults.push('an earlier session is lost');
    if ((await browse(url).signUp('ben@example.com')).status !== 303)
      faults.push('sign-up does not work again');
    if ((await browse(url).startDevice()).status !== 200) faults.push('device sign-in does not work again');
    return faults;
  },
  ['sqlite'],
);

/** Mails due on a full disk are sent at least once when there is free space again. */
const mails: Case = {
  name: 'mail',
  only: ['sqlite'],
  async run(backend) {
    const outbox = await openOutbox();
    try {
      return await inArena(outbox.mailing(backend), async (arena) => {
        const folder = dataOf(arena.site);
        await outbox.addMember(arena.site);
        const faults: string[] = [];
        for (const room of [0, 8 * KIB, 32 * KIB]) {
          for (let n = 0; n < 3; n += 1) {
            const status = await outbox.approve(arena.client);
            if (status !== 200) faults.push(`an approval returned ${status}`);
          }
          await fill(folder, room);
          await sleep(MAIL_MS);
          await makeRoom(folder);
        }
        faults.push(...(await outbox.faults(arena.site, arena.store.shiftClock)));
        return [...faults, ...(await arena.witness.faults(arena.client))];
      });
    } finally {
      await outbox.close();
    }
  },
};

const CASES = [signIns, publishing, firstStart, migration, backup, rotation, mails];

async function run({ backend, count }: Setup): Promise<Outcome> {
  if (!(await canMount())) return { counts: 'skipped: mounts are not allowed on this machine', failures: [] };
  const cases = CASES.filter(({ only }) => only?.includes(backend.name) ?? true).slice(0, count);
  const failures: string[] = [];
  for (const { name, run: runCase } of cases)
    failures.push(...(await runCase(onSmallDisk(backend))).map((fault) => `${name}: ${fault}`));
  return { counts: `full during ${cases.map(({ name }) => name).join(', ')}`, failures };
}

/** Full file systems. `count` limits the cases. */
export const full: Experiment = {
  name: 'full',
  backends: ['sqlite', 'postgres'],
  count: Number.POSITIVE_INFINITY,
  run,
};
