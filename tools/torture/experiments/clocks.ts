import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { bundleOf, clientOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { runStoreCommand } from '../store-process.ts';
import { type Witness, wellAfter } from '../witness.ts';
import { finalCheck } from './kill.ts';

const DAY_MS = 24 * 3_600_000;
const FORWARD_MS = 40 * DAY_MS;
/** A lease of ten seconds, with a margin for slow machines. */
const MAX_BLOCKED_MS = 20_000;

type Case = { name: string; run(arena: Arena, witness: Witness): Promise<string[]> };

/** S3 refuses a request whose clock is more than 15 minutes off (RequestTimeTooSkewed). */
const needsRightClock = ({ site }: Arena): boolean => site.wires.s3 !== undefined;

/**
 * Works with a wrong clock: everything must work. Where S3 rejects that clock, uploads get 503, and everything else works.
 * @param published version to yank
 */
async function workSkewed(arena: Arena, witness: Witness, published: Ref): Promise<string[]> {
  if (!needsRightClock(arena)) return work(arena, witness);
  const status = await witness.publish(arena.client, { appId: newApp(), version: '1.0.0' });
  const yank = await witness.yank(arena.client, published);
  return [
    ...(status === 503 ? [] : [`a publish with a clock that S3 rejects returned ${status}`]),
    ...(yank === 200 ? [] : [`a yank returned ${yank}`]),
    ...(await witness.look(arena.client)),
  ];
}

/** Publishes, yanks, and reads the revocation list. */
async function work({ client }: Arena, witness: Witness): Promise<string[]> {
  const appId = newApp();
  const ref = await publishFirst(client, appId);
  const next = versionsOf(appId);
  const status = await witness.publish(client, next());
  const yank = await witness.yank(client, ref);
  return [
    ...(status === 201 ? [] : [`a publish returned ${status}`]),
    ...(yank === 200 ? [] : [`a yank returned ${yank}`]),
    ...(await witness.look(client)),
  ];
}

/** Shifts the clock during uploads, works, resets the clock, and works again. */
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

/** A process that dies with a lease from a clock that was ahead must not block until that time. */
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
      ...(settled !== null && settled < MAX_BLOCKED_MS ? [] : [`${ref.appId} waits for a future time`]),
      ...(await work(arena, witness)),
    ];
  },
};

/** A sweep with a clock that is ahead must not delete bytes of current uploads. */
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
      ...(run.code === 0 || needsRightClock(arena) ? [] : [`the sweep exited with ${run.code}: ${run.said}`]),
      ...(await witness.faults(arena.client)),
    ];
  },
};

type Poll = { code?: string; pending?: boolean; deviceCode?: string };

/** Tokens survive a clock that was ahead; device codes expire, and new ones work. */
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
    const created = await post('/api/admin/tokens', { publisher: 'example' }, admin);
    const tokenStatus = async () =>
      (await clientOf(store.url, created.body.token).get('/api/developer/whoami')).status;
    const device = await post('/api/developer/device/start', {});
    const poll = (deviceCode?: string) => post('/api/developer/device/poll', { deviceCode });
    const faults: string[] = [];
    const before = await tokenStatus();
    await store.shiftClock(FORWARD_MS);
    if ((await poll(device.body.deviceCode)).status !== 410)
      faults.push('a device code did not expire within forty days');
    const ahead = await post('/api/developer/device/start', {});
    await poll(ahead.body.deviceCode);
    await store.shiftClock(-DAY_MS);
    if ((await tokenStatus()) !== before) faults.push('a token is not valid a day earlier');
    await store.shiftClock(0);
    if ((await tokenStatus()) !== before) faults.push('an earlier token is no longer valid');
    if ((await poll(ahead.body.deviceCode)).status !== 410)
      faults.push('a device code from a future clock is still valid');
    const fresh = await post('/api/developer/device/start', {});
    if ((await poll(fresh.body.deviceCode)).body.pending !== true) faults.push('no device sign-in can start');
    if ((await client.get('/readyz')).status !== 200) faults.push('the store is not ready');
    return faults;
  },
};

/** Two processes with different clocks, which are then synchronised. */
const disagree: Case = {
  name: 'two processes with different clocks',
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

/** A process suspended during its work must not block others for longer than a lease. */
const stopped: Case = {
  name: 'a suspended process',
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
      const recoveryMs = await wellAfter(async () => {
        const { status } = await arena.client.upload(bundleOf({ appId: mine, version: '1.0.0' }));
        return status === 201;
      });
      process.kill(other.pid, 'SIGCONT');
      await busy;
      return [
        ...(recoveryMs !== null && recoveryMs < MAX_BLOCKED_MS
          ? []
          : [`publishing was blocked for ${recoveryMs} ms`]),
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
    for (const { name, run: runCase } of cases.slice(0, count)) {
      const faults = await runCase(arena, witness);
      failures.push(...faults.map((fault) => `${name}: ${fault}`));
    }
    failures.push(...(await finalCheck(arena)));
    return { counts: `${Math.min(count, cases.length)} kinds of clocks`, failures };
  });
}

/** Clocks that jump or disagree, and suspended processes. `count` limits the cases. */
export const clocks: Experiment = {
  name: 'clocks',
  backends: ['sqlite', 'postgres', 's3'],
  count: Number.POSITIVE_INFINITY,
  run,
};
