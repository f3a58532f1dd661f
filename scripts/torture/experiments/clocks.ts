import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { bundleOf, clientOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { runStoreCommand } from '../store-process.ts';
import { type Witness, wellAfter } from '../witness.ts';
import { lastLook } from './kill.ts';

const DAY_MS = 24 * 3_600_000;
const FORWARD_MS = 40 * DAY_MS;
/** A lease of ten seconds, and room for a slow machine. */
const MAX_HELD_MS = 20_000;

type Case = { name: string; run(arena: Arena, witness: Witness): Promise<string[]> };

/** S3 refuses a request whose clock is more than 15 minutes off (RequestTimeTooSkewed). */
const needsRightClock = ({ site }: Arena): boolean => site.wires.s3 !== undefined;

/**
 * What a store does by a wrong clock: all. Where S3 does not take that clock, uploads are told to wait, and all else goes on.
 * @param published what is yanked then
 */
async function workSkewed(arena: Arena, witness: Witness, published: Ref): Promise<string[]> {
  if (!needsRightClock(arena)) return work(arena, witness);
  const status = await witness.publish(arena.client, { appId: newApp(), version: '1.0.0' });
  const yank = await witness.yank(arena.client, published);
  return [
    ...(status === 503 ? [] : [`a publish by a clock that S3 refuses was answered ${status}`]),
    ...(yank === 200 ? [] : [`a yank was answered ${yank}`]),
    ...(await witness.look(arena.client)),
  ];
}

/** Publishes and yanks a little, and takes the list after each. */
async function work({ client }: Arena, witness: Witness): Promise<string[]> {
  const appId = newApp();
  const ref = await publishFirst(client, appId);
  const next = versionsOf(appId);
  const status = await witness.publish(client, next());
  const yank = await witness.yank(client, ref);
  return [
    ...(status === 201 ? [] : [`a publish was answered ${status}`]),
    ...(yank === 200 ? [] : [`a yank was answered ${yank}`]),
    ...(await witness.look(client)),
  ];
}

/** Moves the clock while uploads are under way, works, sets it right, and works again. */
const jump = (name: string, ms: number): Case => ({
  name,
  async run(arena, witness) {
    const appId = newApp();
    const first = await publishFirst(arena.client, appId);
    const next = versionsOf(appId);
    const uploads = Promise.all(Array.from({ length: 4 }, () => witness.publish(arena.client, next())));
    await arena.store.shiftClock(ms);
    await uploads;
    const moved = await workSkewed(arena, witness, first);
    await arena.store.shiftClock(0);
    return [...moved, ...(await work(arena, witness)), ...(await witness.faults(arena.client))];
  },
});

/** A process that dies under a lease of a clock that was ahead leaves nothing that waits for that time. */
const lease: Case = {
  name: 'forty days ahead during a lease',
  async run(arena, witness) {
    const appId = newApp();
    await publishFirst(arena.client, appId);
    const ref = versionsOf(appId)();
    await arena.store.shiftClock(FORWARD_MS);
    await arena.store.arm({ step: 1, phase: 'before', blow: 'kill', lasting: false });
    await arena.store.disarm();
    const upload = arena.client.upload(bundleOf(ref));
    await sleep(30);
    await arena.store.kill();
    await upload;
    await arena.restart();
    const settled = await wellAfter(async () => {
      const { status, body } = await arena.client.status(ref);
      return status === 404 || body.status === 'published';
    });
    return [
      ...(settled !== null && settled < MAX_HELD_MS ? [] : [`${ref.appId} waited for a time to come`]),
      ...(await work(arena, witness)),
    ];
  },
};

/** A sweep by a clock that is ahead takes bytes that are being uploaded for old ones. */
const sweep: Case = {
  name: 'forty days ahead during a sweep',
  async run(arena, witness) {
    const appId = newApp();
    await publishFirst(arena.client, appId);
    const next = versionsOf(appId);
    const settings = { ...arena.site.settings(), SVC_TORTURE_SHIFT_MS: String(FORWARD_MS) };
    const preload = new URL('../preload/main.ts', import.meta.url).href;
    let isOver = false;
    const uploading = (async () => {
      while (!isOver) await witness.publish(arena.client, next());
    })();
    const run = await runStoreCommand({ ...settings, NODE_OPTIONS: `--import ${preload}` }, ['sweep']);
    isOver = true;
    await uploading;
    return [
      ...(run.code === 0 || needsRightClock(arena) ? [] : [`the sweep ended with ${run.code}: ${run.said}`]),
      ...(await witness.faults(arena.client)),
    ];
  },
};

type Poll = { code?: string; pending?: boolean; deviceCode?: string };

/** Tokens outlive a clock that was ahead; device codes end, and others begin. */
const codes: Case = {
  name: 'sessions, tokens and device codes',
  async run({ client, store }) {
    const json = (body: object) => ({ body: JSON.stringify(body) });
    const post = async (path: string, body: object, bearer?: string) => {
      const response = await fetch(store.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
        ...json(body),
      });
      return { status: response.status, body: (await response.json()) as Poll & { token?: string } };
    };
    const admin = 'torture-automation-0123456789';
    const made = await post('/api/admin/tokens', { publisher: 'example' }, admin);
    const holds = async () =>
      (await clientOf(store.url, made.body.token).get('/api/developer/whoami')).status;
    const device = await post('/api/developer/device/start', {});
    const poll = (deviceCode?: string) => post('/api/developer/device/poll', { deviceCode });
    const faults: string[] = [];
    const before = await holds();
    await store.shiftClock(FORWARD_MS);
    if ((await poll(device.body.deviceCode)).status !== 410) faults.push('a device code outlived forty days');
    const ahead = await post('/api/developer/device/start', {});
    await poll(ahead.body.deviceCode);
    await store.shiftClock(-DAY_MS);
    if ((await holds()) !== before) faults.push('a token does not hold a day earlier');
    await store.shiftClock(0);
    if ((await holds()) !== before) faults.push('a token of before does not hold');
    if ((await poll(ahead.body.deviceCode)).status !== 410)
      faults.push('a device code of a time to come goes on');
    const fresh = await post('/api/developer/device/start', {});
    if ((await poll(fresh.body.deviceCode)).body.pending !== true) faults.push('no device can begin');
    if ((await client.get('/readyz')).status !== 200) faults.push('the store is not ready');
    return faults;
  },
};

/** Two processes whose clocks disagree, and what comes when they agree again. */
const disagree: Case = {
  name: 'two processes that disagree',
  async run(arena, witness) {
    const other = await startOn(arena.site, 1);
    try {
      const one = await publishFirst(arena.client, newApp());
      const two = await publishFirst(arena.client, newApp());
      await other.shiftClock(FORWARD_MS);
      const theirs = { ...arena, client: witness.watch(clientOf(other.url)) };
      const faults = [...(await workSkewed(theirs, witness, one)), ...(await work(arena, witness))];
      faults.push(...(await workSkewed(theirs, witness, two)));
      await other.shiftClock(0);
      faults.push(...(await work(theirs, witness)), ...(await work(arena, witness)));
      return [...faults, ...(await witness.faults(arena.client))];
    } finally {
      await other.stop();
    }
  },
};

/** A process that is stopped in the middle of its work holds others up for no longer than a lease. */
const stopped: Case = {
  name: 'a process that is stopped',
  async run(arena, witness) {
    const other = await startOn(arena.site, 1);
    try {
      const appId = newApp();
      await publishFirst(arena.client, appId);
      const next = versionsOf(appId);
      const theirs = witness.watch(clientOf(other.url));
      const busy = Promise.all(Array.from({ length: 8 }, () => theirs.upload(bundleOf(next()))));
      await sleep(40);
      process.kill(other.pid, 'SIGSTOP');
      const mine = newApp();
      const took = await wellAfter(async () => {
        const { status } = await arena.client.upload(bundleOf({ appId: mine, version: '1.0.0' }));
        return status === 201;
      });
      process.kill(other.pid, 'SIGCONT');
      await busy;
      return [
        ...(took !== null && took < MAX_HELD_MS ? [] : [`publishing was held up for ${took} ms`]),
        ...(await witness.faults(arena.client)),
      ];
    } finally {
      await other.stop();
    }
  },
};

const ALONE = [jump('a day back', -DAY_MS), jump('forty days ahead', FORWARD_MS), codes, sweep, lease];

async function run({ backend, count }: Setup): Promise<Outcome> {
  const cases = backend.name === 'sqlite' ? ALONE : [...ALONE, disagree, stopped];
  return experimentIn(backend, async (arena) => {
    const failures: string[] = [];
    const { witness } = arena;
    for (const one of cases.slice(0, count)) {
      const faults = await one.run(arena, witness);
      failures.push(...faults.map((fault) => `${one.name}: ${fault}`));
    }
    failures.push(...(await lastLook(arena)));
    return { counts: `${Math.min(count, cases.length)} kinds of clocks`, failures };
  });
}

/** Clocks that jump, that disagree, and processes that stand still. `count` is how many cases. */
export const clocks: Experiment = {
  name: 'clocks',
  backends: ['sqlite', 'postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
