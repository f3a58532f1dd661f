import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arena, experimentIn, newApp, publishFirst, versionsOf } from '../arena.ts';
import { canMount, makeReadOnly, mountOver, unmount } from '../mounts.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { type Case, dataOf, recovery, refusal } from '../volumes/case.ts';
import { older, readOnly, unmounted } from '../volumes/whole-volumes.ts';

/** A volume is removed under a running store, and restored. */
const whileRunning = (
  name: string,
  part: string,
  harm: (path: string) => Promise<unknown>,
  heal: (path: string) => Promise<unknown>,
  needsMount = false,
): Case => ({
  name: `${name}, while it runs`,
  needsMount,
  async run(arena, witness) {
    const appId = newApp();
    await publishFirst(arena.client, appId);
    const next = versionsOf(appId);
    await witness.publish(arena.client, next());
    const path = join(dataOf(arena), part);
    await harm(path);
    const ready = await arena.client.get('/readyz');
    const refused = [
      await witness.publish(arena.client, next()),
      await witness.publish(arena.client, next()),
    ];
    await heal(path);
    const seen = await recovery(arena, witness);
    const faults = [
      ...(ready.status === 503 ? [] : [`/readyz returned ${ready.status}`]),
      ...refused.filter((status) => status !== 503).map((status) => `a publish returned ${status}`),
    ];
    return { ...seen, faults: [...faults, ...seen.faults] };
  },
});

/** A volume is faulty when a store starts, and is repaired. */
const atStart = (
  name: string,
  harm: (arena: Arena) => Promise<unknown>,
  heal: (arena: Arena) => Promise<unknown>,
  why: RegExp,
  needsMount = false,
): Case => ({
  name: `${name}, at the start`,
  needsMount,
  async run(arena, witness) {
    await arena.store.stop();
    await harm(arena);
    const said = await refusal(arena);
    await heal(arena);
    const seen = await recovery(arena, witness);
    const faults = said === null ? ['the store started'] : why.test(said) ? [] : [`its output: ${said}`];
    return { ...seen, faults: [...faults, ...seen.faults] };
  },
});

const away = (path: string) => rename(path, `${path}-away`);
const back = async (path: string) => {
  await rm(path, { recursive: true, force: true });
  await rename(`${path}-away`, path);
};
const emptied = async (path: string) => {
  await away(path);
  await mkdir(path);
};
const exchanged = async (path: string) => {
  await cp(path, `${path}-copy`, { recursive: true });
  await away(path);
  await rename(`${path}-copy`, path);
};
const keyFile = (arena: Arena) =>
  arena.site.settings().SVC_SIGNING_KEY_FILE ?? join(dataOf(arena), 'keys', 'signing-key.pem');
const blobs = (arena: Arena) => join(dataOf(arena), 'blobs');

/** The parts of the data folder of one process. */
const PARTS: [name: string, part: string][] = [
  ['bundles', 'blobs'],
  ['database', 'store.sqlite'],
  ['log of the database', 'store.sqlite-wal'],
];

const RUNNING = PARTS.flatMap(([name, part]) => [
  whileRunning(`the ${name} removed`, part, away, back),
  whileRunning(`the ${name} exchanged for a copy`, part, exchanged, back),
]);

const STARTING = [
  atStart(
    'the key removed',
    (a) => away(keyFile(a)),
    (a) => back(keyFile(a)),
    /declare-lost/,
  ),
  atStart(
    'the key empty',
    async (a) => {
      await away(keyFile(a));
      await writeFile(keyFile(a), '');
    },
    (a) => back(keyFile(a)),
    /holds no signing key/,
  ),
  atStart(
    'the bundles unmounted',
    (a) => emptied(blobs(a)),
    (a) => back(blobs(a)),
    /has none of the bundles/,
  ),
  atStart(
    'the bundles of another store',
    async (a) => {
      await exchanged(blobs(a));
      await writeFile(join(blobs(a), 'owner'), 'another store');
    },
    (a) => back(blobs(a)),
    /belongs to the store another store/,
  ),
  atStart(
    'the data folder read-only',
    async (a) => {
      await mountOver(dataOf(a), dataOf(a));
      await makeReadOnly(dataOf(a));
    },
    (a) => unmount(dataOf(a)),
    /svc-store: [^\n]+/,
    true,
  ),
];

const ON_SQLITE = [...RUNNING, ...STARTING, unmounted, readOnly, older];
const SHARED = [...RUNNING.slice(0, 2), ...STARTING];

async function run({ backend, count }: Setup): Promise<Outcome> {
  const mounts = await canMount();
  const all = backend.name === 'sqlite' ? ON_SQLITE : SHARED;
  const cases = all.filter(({ needsMount }) => mounts || !needsMount).slice(0, count);
  return experimentIn(backend, async (arena) => {
    const { witness } = arena;
    const yanked = await publishFirst(arena.client, newApp());
    await arena.client.yank(yanked);
    const failures: string[] = [];
    const times: string[] = [];
    for (const { name, run: runCase } of cases) {
      const { faults, recoveredMs } = await runCase(arena, witness);
      failures.push(...faults.map((fault) => `${name}: ${fault}`));
      times.push(`${name} ${recoveredMs ?? 'never'}`);
    }
    const skipped = all.length - (mounts ? all.length : all.filter(({ needsMount }) => !needsMount).length);
    const without =
      skipped > 0 ? `; ${skipped} cases need mounts, which are not allowed on this machine` : '';
    return {
      counts: `${cases.length} cases, recovered after ms: ${times.join(', ')}${without}`,
      failures,
    };
  });
}

/** Data, keys and bundles that are removed, unmounted, exchanged, older or read-only. `count` limits the cases. */
export const volumes: Experiment = {
  name: 'volumes',
  backends: ['sqlite', 'postgres'],
  count: Number.POSITIVE_INFINITY,
  run,
};
