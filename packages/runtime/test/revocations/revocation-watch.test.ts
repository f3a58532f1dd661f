import { signRevocations } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import type { StoreReader } from '../../src/store/store-reader.ts';
import { APP } from '../support/signing-store.ts';
import { LIST, openWatched, typesOf, YANKED } from '../support/watched.ts';
import { at, fail, NOW, openWorld, system } from '../support/world.ts';

describe('the revocation watch', () => {
  it('switches a yanked version off at once, in every project, and emits one event', async () => {
    const { store, library, watch, heard } = await openWatched();
    library.switch(APP, true, 'project-1');
    expect(await watch.check()).toEqual({
      refused: null,
      signedAt: store.state.signedAt,
      stale: false,
      ahead: false,
    });
    store.yank(at(10), '1.0.0');
    for (let time = 0; time < 3; time += 1) await watch.check();
    expect(heard.filter(({ type }) => /^app-(?:yanked|restored)$/.test(type))).toEqual([YANKED]);
    for (const project of [undefined, 'project-1']) {
      expect(library.get(APP, project)).toMatchObject({
        on: false,
        yanked: { reason: 'It lost notes.', at: at(10) },
      });
      expect(() => library.requireUsable(APP, project)).toThrow(expect.objectContaining({ code: 'yanked' }));
    }
  });

  it('switches a yanked version off although the disk is full, until the list can be stored', async () => {
    const { store, library, watch, storage, heard, other } = await openWatched();
    const { database } = storage;
    await watch.check();
    const pages = database.prepare('pragma page_count').get() as { page_count: number };
    database.exec(`pragma max_page_count = ${pages.page_count}`);
    // More than the free pages hold.
    store.yank(at(10), '1.0.0', ...Array.from({ length: 2_000 }, (_, n) => `9.0.${n}`));
    expect(await watch.check()).toMatchObject({ refused: 'disk-unavailable' });
    expect(library.get(APP)).toMatchObject({ on: false, yanked: { at: at(10) } });
    expect(typesOf(heard).slice(-2)).toEqual(['app-yanked', 'revocations-refused']);
    expect(other.library.get(APP)).toMatchObject({ yanked: null });
    store.yank(at(20));
    database.exec('pragma max_page_count = 1000000');
    expect(await watch.check()).toMatchObject({ refused: null });
    expect(library.get(APP)).toMatchObject({ yanked: null });
  });

  it('prevents a yanked version from being switched on and installed again', async () => {
    const { store, library, watch, installer } = await openWatched();
    const sheet = await installer.prepareInstall(APP, '1.0.0');
    store.yank(at(10), '1.0.0');
    await watch.check();
    expect(() => library.switch(APP, true)).toThrow(expect.objectContaining({ code: 'yanked' }));
    expect(() => library.switch(APP, true, 'project-1')).toThrow(expect.objectContaining({ code: 'yanked' }));
    const again = installer.install(sheet, { accepted: true, binding: sheet.binding });
    await expect(again).rejects.toMatchObject({ code: 'yanked' });
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject({ code: 'yanked' });
    expect(library.get(APP)).toMatchObject({ on: false });
  });

  it('switches a version on again where it was on, once the store has undone its yank', async () => {
    const { store, library, watch, heard } = await openWatched();
    library.switch(APP, false);
    library.switch(APP, true, 'project-1');
    store.yank(at(10), '1.0.0');
    await watch.check();
    expect(library.get(APP)?.yanked?.comesBack).toBe(false);
    expect(library.get(APP, 'project-1')?.yanked?.comesBack).toBe(true);
    store.yank(at(20));
    await watch.check();
    expect(library.get(APP)).toMatchObject({ on: false, yanked: null });
    expect(library.requireUsable(APP, 'project-1').restoredAt).toBe(new Date(NOW).toISOString());
    expect(heard.at(-1)).toEqual({ type: 'app-restored', appId: APP, version: '1.0.0', on: true });
    // The user's next switch ends the note.
    library.switch(APP, true);
    expect(library.get(APP)).toMatchObject({ on: true, restoredAt: null });
  });

  it('leaves a version off that the user has switched off since, everywhere or in one project', async () => {
    const { store, library, watch, heard } = await openWatched();
    library.switch(APP, true, 'project-1');
    store.yank(at(10), '1.0.0');
    await watch.check();
    library.switch(APP, false, 'project-1');
    store.yank(at(20));
    await watch.check();
    expect([library.get(APP)?.on, library.get(APP, 'project-1')?.on]).toEqual([true, false]);
    store.yank(at(21), '1.0.0');
    await watch.check();
    library.switch(APP, false);
    store.yank(at(22));
    await watch.check();
    expect(library.get(APP)).toMatchObject({ on: false, yanked: null, restoredAt: null });
    expect(heard.at(-1)).toEqual({ type: 'app-restored', appId: APP, version: '1.0.0', on: false });
  });

  it('says nothing of an app that was removed since, and installed again', async () => {
    const { store, library, watch, install, heard } = await openWatched();
    store.yank(at(10), '1.0.0');
    await watch.check();
    library.remove(APP);
    store.yank(at(20));
    await watch.check();
    expect(library.get(APP)).toBeNull();
    await install();
    await watch.check();
    expect(library.get(APP)).toMatchObject({ on: true, restoredAt: null });
    expect(typesOf(heard)).not.toContain('app-restored');
  });

  it('switches it on again in a client that was closed while the yank was undone', async () => {
    const { store, watch, folder } = await openWatched();
    store.yank(at(10), '1.0.0');
    await watch.check();
    store.yank(at(20));
    const later = await openWorld(store, { folder });
    expect(later.library.get(APP)?.on).toBe(false);
    await createRevocationWatch({ ...later, system, onFault: fail }).check();
    expect(later.library.requireUsable(APP).on).toBe(true);
    expect(later.heard).toEqual([{ type: 'app-restored', appId: APP, version: '1.0.0', on: true }]);
  });

  it('emits the end of a yank in every client of the folder, whichever accepted the list', async () => {
    const { store, watch, heard, other, otherWatch } = await openWatched();
    store.yank(at(10), '1.0.0');
    await Promise.all([watch.check(), otherWatch.check()]);
    store.yank(at(20));
    await Promise.all([watch.check(), otherWatch.check()]);
    const end = { type: 'app-restored', appId: APP, version: '1.0.0', on: true };
    for (const each of [heard, other.heard])
      expect(each.filter(({ type }) => type === 'app-restored')).toEqual([end]);
  });

  it('emits the end of a yank as on in a client that finds it after the user has switched the app on', async () => {
    const { store, library, watch, other, otherWatch } = await openWatched();
    store.yank(at(10), '1.0.0');
    await Promise.all([watch.check(), otherWatch.check()]);
    store.yank(at(20));
    await watch.check();
    library.switch(APP, true);
    expect(library.get(APP)?.restoredAt).toBeNull();
    await otherWatch.check();
    expect(other.heard.at(-1)).toEqual({ type: 'app-restored', appId: APP, version: '1.0.0', on: true });
  });

  it('emits nothing about the apps of another store', async () => {
    const { store, watch, library, storage, reader, keys } = await openWatched();
    store.yank(at(10), '1.0.0');
    await watch.check();
    const [events, heard] = [createEvents(fail), [] as RuntimeEvent[]];
    events.subscribe((event) => heard.push(event));
    const gone = { revocationHeadSince: async () => fail(new RuntimeError('store-unreachable')) };
    const other: StoreReader = { ...reader, ...gone, store: 'https://other.example' };
    const deps = { system, storage, library, events, keys, onFault: fail };
    await createRevocationWatch({ ...deps, reader: other }).check();
    expect(typesOf(heard)).toEqual(['revocations-refused', 'revocations-stale']);
  });

  it('emits its event in every client of the folder, whichever accepted the list', async () => {
    const { store, watch, heard, other, otherWatch } = await openWatched();
    store.yank(at(10), '1.0.0');
    await Promise.all([watch.check(), otherWatch.check()]);
    for (const each of [heard, other.heard]) expect(each).toContainEqual(YANKED);
  });

  it('checks at the start and every three minutes, later after a failure, until it is stopped', async () => {
    const { store, library, events, reader, keys, storage } = await openWatched();
    const pauses: number[] = [];
    const done = Promise.withResolvers<void>();
    const sleep = async (ms: number, signal?: AbortSignal) => {
      if (ms < 60_000) return system.sleep(ms, signal);
      pauses.push(ms);
      if (pauses.length === 1) store.lie(LIST, (response) => response.destroy());
      else store.lie(LIST, null);
      if (pauses.length < 3) return;
      watch.stop();
      done.resolve();
    };
    const deps = { storage, library, events, reader, keys, onFault: fail };
    const watch = createRevocationWatch({
      ...deps,
      system: { now: () => NOW, sleep, randomBytes: () => new Uint8Array(1) },
    });
    watch.start();
    watch.start();
    await done.promise;
    // With the least random byte, each is a fifth shorter than in the middle.
    expect(pauses).toEqual([144_000, 240_000, 144_000]);
    expect(store.seen.filter(({ url }) => url === LIST)).toHaveLength(3);
  });

  it('comes back when a store asks it to', async () => {
    const { store, library, events, reader, keys, storage } = await openWatched();
    store.lie(LIST, (response) =>
      store.answer(response, 503, {
        code: 'unavailable',
        message: 'Busy.',
        requestId: 'r-1',
        retryAfter: 900,
      }),
    );
    const pauses: number[] = [];
    const sleep = async (ms: number, signal?: AbortSignal) => {
      if (ms < 60_000) return system.sleep(ms, signal);
      pauses.push(ms);
      watch.stop();
    };
    const deps = { storage, library, events, reader, keys, onFault: fail };
    const watch = createRevocationWatch({
      ...deps,
      system: { now: () => NOW, sleep, randomBytes: () => new Uint8Array(1) },
    });
    watch.start();
    await expect.poll(() => pauses).toEqual([900_000]);
  });
});

describe('the list between two checks', () => {
  it('is not sent again while it is unchanged', async () => {
    const { store, watch, library } = await openWatched();
    await watch.check();
    expect(await watch.check()).toMatchObject({ refused: null, signedAt: store.state.signedAt });
    const asked = store.seen.filter(({ url }) => url === LIST);
    expect(asked.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, expect.stringMatching(/^"/)]);
    store.yank(at(10), '1.0.0');
    await watch.check();
    expect(library.get(APP)).toMatchObject({ on: false });
  });

  it('is sent again after it was refused, and a 304 then changes nothing', async () => {
    const { store, watch, library } = await openWatched();
    await watch.check();
    const old = signRevocations([], '2025-01-01T00:00:00.000Z', store.state.key);
    store.lie(LIST, (response) => {
      response.setHeader('ETag', '"old"');
      store.answer(response, 200, old);
    });
    expect(await watch.check()).toMatchObject({ refused: 'rolled-back' });
    expect(await watch.check()).toMatchObject({ refused: 'rolled-back' });
    expect(store.seen.findLast(({ url }) => url === LIST)?.ifNoneMatch).toBeUndefined();
    expect(library.get(APP)).toMatchObject({ on: true });
  });

  it('is fetched at once after a hint, but not for each hint', async () => {
    const { store, clock, library, events, reader, keys, storage } = await openWatched();
    let naps = 0;
    const sleep = async (ms: number, signal?: AbortSignal) => {
      if (ms < 60_000) return system.sleep(ms, signal);
      naps += 1;
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    };
    const time = { now: () => clock.now, sleep, randomBytes: system.randomBytes };
    const watch = createRevocationWatch({
      storage,
      library,
      events,
      reader,
      keys,
      onFault: fail,
      system: time,
    });
    watch.start();
    await expect.poll(() => naps).toBe(1);
    watch.hint();
    store.yank(at(10), '1.0.0');
    clock.now += 61_000;
    watch.hint();
    await expect.poll(() => naps).toBe(2);
    watch.hint();
    expect(library.get(APP)).toMatchObject({ on: false });
    watch.stop();
    expect(store.seen.filter(({ url }) => url === LIST)).toHaveLength(2);
  });
});
