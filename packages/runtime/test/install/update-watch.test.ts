import { describe, expect, it } from 'vitest';
import { createUpdateWatch } from '../../src/install/update-watch.ts';
import type { AutoUpdate } from '../../src/runtime-options.ts';
import { serveMcp, text } from '../support/mcp-server.ts';
import { openClient } from '../support/runtime-world.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { NOW, openWorld, system } from '../support/world.ts';

const OTHER = 'com.example.other';
const HOUR = 3_600_000;
const MINUTE = 60_000;
const HEAD = `/api/apps/${APP}/head`;
const WIDER = { remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['more.example.com'] } };

/** Two installed apps, and a watch whose pauses pass at once on a clock of its own. */
async function watched(autoUpdate: AutoUpdate = {}, isForced = false) {
  const store = await startSigningStore();
  store.publish();
  store.publish({ id: OTHER });
  const world = await openWorld(store);
  await world.install();
  await world.install(OTHER);
  const clock = { now: NOW };
  const inUse = new Set<string>();
  const events: [at: number, () => unknown][] = [];
  const ended = Promise.withResolvers<void>();
  let end = Number.POSITIVE_INFINITY;
  let sleeps = 0;
  const watch = createUpdateWatch({
    ...world,
    autoUpdate,
    isInUse: (appId) => inUse.has(appId),
    isForced: () => isForced,
    system: {
      now: () => clock.now,
      // In the middle of every range.
      randomBytes: (length) => new Uint8Array(length).fill(128),
      async sleep(ms, signal) {
        sleeps += 1;
        await new Promise(setImmediate);
        signal?.throwIfAborted();
        clock.now += ms;
        for (const [at, act] of events.splice(0)) {
          if (at <= clock.now - NOW) await act();
          else events.push([at, act]);
        }
        if (clock.now - NOW < end) return;
        watch.stop();
        ended.resolve();
      },
    },
    onFault: (error) => ended.reject(error),
  });
  return {
    ...{ store, ...world, watch, clock, inUse },
    sleeps: () => sleeps,
    waitsTold: () => world.heard.filter(({ type }) => type === 'update-waiting'),
    versionOf: (appId = APP) => world.library.get(appId)?.version,
    asked: (path: string) => store.seen.filter(({ url }) => url.split('?')[0] === path).length,
    at: (ms: number, act: () => unknown) => events.push([ms, act]),
    /** Runs the watch until so many milliseconds have passed on its clock. */
    run(ms: number): Promise<void> {
      end = ms;
      watch.start();
      watch.start();
      return ended.promise;
    },
  };
}

const bundleOf = (version: string): string => `/api/apps/${APP}/versions/${version}/bundle`;

describe('updates that install by themselves', () => {
  it('are looked for within ten minutes and then every four hours, and ask nothing', async () => {
    const world = await watched();
    world.store.publish({ version: '1.1.0' });
    const before = world.asked(HEAD);
    world.at(3 * HOUR, () => world.store.publish({ version: '1.2.0' }));
    const seen: (string | undefined)[] = [];
    for (const hours of [0.2, 3.9, 4.2]) world.at(hours * HOUR, () => seen.push(world.versionOf()));
    await world.run(5 * HOUR);
    expect(seen).toEqual(['1.1.0', '1.1.0', '1.2.0']);
    // Each install asks for it once more.
    expect(world.asked(HEAD) - before).toBe(4);
    expect(world.watch.checkedAt()).toBeGreaterThan(NOW + 4 * HOUR);
    expect(world.watch.waiting()).toEqual([]);
  });

  it('leave one that asks for more to the user, who is asked nothing: it is downloaded once a day', async () => {
    const world = await watched();
    world.store.publish({ version: '1.1.0', ...WIDER });
    world.store.publish({ id: OTHER, version: '1.1.0' });
    const downloads: number[] = [];
    for (const hours of [23, 47])
      world.at(hours * HOUR, () => downloads.push(world.asked(bundleOf('1.1.0'))));
    await world.run(50 * HOUR);
    expect([...downloads, world.asked(bundleOf('1.1.0'))]).toEqual([1, 2, 3]);
    expect([world.versionOf(), world.versionOf(OTHER)]).toEqual(['1.0.0', '1.1.0']);
    const waits = { appId: APP, version: '1.0.0', to: '1.1.0' };
    expect(world.watch.waiting()).toEqual([{ ...waits, outcome: 'waiting', why: 'asks' }]);
    expect(world.waitsTold()).toEqual([{ type: 'update-waiting', ...waits }]);
    const { installer } = world;
    const sheet = await installer.prepareInstall(APP);
    await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(world.watch.waiting()).toEqual([]);
  });

  it.each([
    ['a later version asks for no more', '1.2.0', {}],
    ['a later version asks for more too', null, WIDER],
  ])('that waited for the user are looked at again when %s', async (_what, installed, manifest) => {
    const world = await watched();
    world.store.publish({ version: '1.1.0', ...WIDER });
    world.at(HOUR, () => world.store.publish({ version: '1.2.0', ...manifest }));
    await world.run(5 * HOUR);
    expect(world.versionOf()).toBe(installed ?? '1.0.0');
    const told = world.waitsTold().map((event) => 'to' in event && event.to);
    expect(told).toEqual(installed === null ? ['1.1.0', '1.2.0'] : ['1.1.0']);
  });

  it('that waited for the user come when they have agreed to as much for another version', async () => {
    const world = await watched();
    world.store.publish({ version: '1.0.5', ...WIDER });
    world.store.publish({ version: '1.1.0', ...WIDER });
    world.at(HOUR, () => world.install(APP, '1.0.5'));
    await world.run(5 * HOUR);
    expect(world.versionOf()).toBe('1.1.0');
  });

  it('say so again when they wait for another reason', async () => {
    let installs = false;
    const world = await watched({ installs: () => installs });
    world.store.publish({ version: '1.1.0', ...WIDER });
    world.at(HOUR, () => {
      installs = true;
    });
    await world.run(5 * HOUR);
    expect([world.waitsTold().length, world.watch.waiting()[0]?.why]).toEqual([2, 'asks']);
  });

  it('come also where the user installs none, when the company does not allow the installed version', async () => {
    for (const isForced of [true, false]) {
      const world = await watched({ installs: () => false }, isForced);
      world.store.publish({ version: '1.1.0' });
      await world.run(HOUR);
      expect(world.versionOf()).toBe(isForced ? '1.1.0' : '1.0.0');
    }
  });

  it('end with the client', async () => {
    const world = await watched();
    await world.run(HOUR);
    const before = world.sleeps();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(world.sleeps()).toBe(before);
  });

  it('wait while the app is in use, and come within a minute of its end', async () => {
    const world = await watched();
    world.store.publish({ version: '1.1.0' });
    world.inUse.add(APP);
    const before = world.asked(`/api/apps/${OTHER}/head`);
    const own = world.asked(HEAD);
    const seen: unknown[] = [];
    world.at(2 * HOUR, () => {
      seen.push(world.versionOf(), world.watch.waiting()[0]?.why, world.asked(HEAD) - own);
      world.inUse.delete(APP);
    });
    world.at(2 * HOUR + 2 * MINUTE, () => seen.push(world.versionOf()));
    await world.run(3 * HOUR);
    expect(seen).toEqual(['1.0.0', 'in-use', 1, '1.1.0']);
    expect(world.asked(`/api/apps/${OTHER}/head`)).toBe(before + 1);
  });

  it.each(['off', 'metered'] as const)('are found but not downloaded while %s', async (why) => {
    let holds = true;
    const world = await watched(
      why === 'off' ? { installs: () => !holds } : { isMetered: async () => holds },
    );
    world.store.publish({ version: '1.1.0' });
    const before = world.asked(HEAD);
    const seen: unknown[] = [];
    world.at(HOUR, () => {
      seen.push(world.watch.waiting()[0]?.why, world.asked(bundleOf('1.1.0')), world.asked(HEAD) - before);
      holds = false;
    });
    await world.run(5 * HOUR);
    expect([...seen, world.versionOf()]).toEqual([why, 0, 1, '1.1.0']);
  });

  it('are looked for soon after a yank, as the fix may be there', async () => {
    const world = await watched();
    world.at(HOUR, () => {
      world.store.publish({ version: '1.0.1' });
      world.events.emit({ type: 'app-yanked', appId: APP, version: '1.0.0', reason: 'It lost notes.' });
    });
    const seen: unknown[] = [];
    world.at(HOUR + 4 * MINUTE, () => seen.push(world.versionOf()));
    await world.run(2 * HOUR);
    expect(seen).toEqual(['1.0.1']);
  });

  it('ask a store that is away for one app only, and later each time, at least as it asks', async () => {
    const world = await watched();
    const at: number[] = [];
    // A proxy before a store that restarts.
    world.store.lie(HEAD, (response) => {
      at.push(world.clock.now);
      response.writeHead(503, { 'Retry-After': '3000' }).end();
    });
    world.at(1.5 * HOUR, () => world.store.lie(HEAD, (response) => response.destroy()));
    const others = world.asked(`/api/apps/${OTHER}/head`);
    await world.run(3 * HOUR);
    expect(at.map((time) => Math.round((time - (at[0] ?? 0)) / MINUTE))).toEqual([0, 55]);
    expect(world.asked(`/api/apps/${OTHER}/head`)).toBe(others);
    expect(world.watch.checkedAt()).toBeNull();
  });

  it('are looked for at once when the computer wakes after a night', async () => {
    const world = await watched();
    const seen: unknown[] = [];
    world.at(HOUR, () => {
      world.store.publish({ version: '1.1.0' });
      world.clock.now += 9 * HOUR;
    });
    world.at(10 * HOUR + 2 * MINUTE, () => seen.push(world.versionOf()));
    await world.run(11 * HOUR);
    expect(seen).toEqual(['1.1.0']);
  });

  it('survive a fault of the program, and a clock that is set back', async () => {
    const world = await watched();
    world.at(HOUR, () => {
      world.clock.now -= HOUR / 2;
    });
    world.at(2 * HOUR, () => world.store.publish({ version: '1.1.0' }));
    await world.run(6 * HOUR);
    expect(world.versionOf()).toBe('1.1.0');
  });
});

it('a runtime with the option never replaces an app within a call', async () => {
  const store = await startSigningStore();
  const answered = Promise.withResolvers<void>();
  const { url } = await serveMcp(
    async () => {
      await answered.promise;
      return text('found');
    },
    { tools: [{ name: 'search' }] },
  );
  const app = {
    remote: { mcpUrl: url, domains: [] },
    contributes: { tools: [{ id: 'search', name: 'Search', description: 'Searches notes.' }] },
  };
  store.publish(app);
  let tick = Promise.withResolvers<void>();
  const { runtime, events } = await openClient({
    store: store.url,
    localApps: true,
    autoUpdate: true,
    system: {
      ...system,
      randomBytes: (length) => (length === 2 ? new Uint8Array([255, 255]) : system.randomBytes(length)),
      // Time passes for the watch when the test says so, and for nothing else.
      sleep: (ms, signal) =>
        Promise.race([
          ms === MINUTE ? tick.promise : system.sleep(ms, signal),
          new Promise<void>((_, reject) =>
            signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
        ]),
    },
  });
  const pass = () => {
    tick.resolve();
    tick = Promise.withResolvers();
  };
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  const call = runtime.call(APP, {
    tool: 'search',
    arguments: {},
    project: 'p',
    chat: 'c',
    timeoutMs: 80_000,
  });
  await expect.poll(() => events.map(({ type }) => type)).toContain('call-started');
  store.publish({ ...app, version: '1.1.0' });
  await expect
    .poll(() => {
      pass();
      return runtime.updates?.waiting();
    })
    .toMatchObject([{ why: 'in-use', to: '1.1.0' }]);
  answered.resolve();
  expect((await call).parts).toMatchObject([{ text: 'found' }]);
  await expect
    .poll(() => {
      pass();
      return runtime.library.get(APP)?.version;
    })
    .toBe('1.1.0');
});
