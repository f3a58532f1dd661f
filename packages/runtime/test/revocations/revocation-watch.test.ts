import type { RevocationList } from '@svc/contracts';
import { signRevocations } from '@svc/signing';
import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { yankOf } from '../../src/library/app-table.ts';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { createStoreKeys } from '../../src/store/store-keys.ts';
import type { StoreReader } from '../../src/store/store-reader.ts';
import { APP, newKey, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { NOW, openWorld, system } from '../support/world.ts';

const LIST = '/api/apps/revocations';
const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

const fail = (error: unknown): never => {
  throw error;
};

/** A client with the app installed, a second process of it, and a watch in each. */
async function started() {
  const store = await startSigningStore();
  store.publish();
  const world = await openWorld(store);
  const other = await openWorld(store, { folder: world.folder });
  await world.install();
  const clock = { now: NOW };
  const time = { ...system, now: () => clock.now };
  const watch = createRevocationWatch({ ...world, system: time, onFault: fail });
  const otherWatch = createRevocationWatch({ ...other, system: time, onFault: fail });
  return { store, ...world, clock, watch, other, otherWatch };
}

const typesOf = (heard: readonly RuntimeEvent[]): string[] => heard.map(({ type }) => type);
const YANKED = { type: 'app-yanked', appId: APP, version: '1.0.0', reason: 'It lost notes.' };

describe('the revocation watch', () => {
  it('switches a yanked version off at once, in every project, and emits one event', async () => {
    const { store, library, watch, heard } = await started();
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
    const { store, library, watch, storage, heard, other } = await started();
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
    const { store, library, watch, installer } = await started();
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
    const { store, library, watch, heard } = await started();
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
    const { store, library, watch, heard } = await started();
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
    const { store, library, watch, install, heard } = await started();
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
    const { store, watch, folder } = await started();
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
    const { store, watch, heard, other, otherWatch } = await started();
    store.yank(at(10), '1.0.0');
    await Promise.all([watch.check(), otherWatch.check()]);
    store.yank(at(20));
    await Promise.all([watch.check(), otherWatch.check()]);
    const end = { type: 'app-restored', appId: APP, version: '1.0.0', on: true };
    for (const each of [heard, other.heard])
      expect(each.filter(({ type }) => type === 'app-restored')).toEqual([end]);
  });

  it('emits the end of a yank as on in a client that finds it after the user has switched the app on', async () => {
    const { store, library, watch, other, otherWatch } = await started();
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
    const { store, watch, library, storage, reader, keys } = await started();
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
    const { store, watch, heard, other, otherWatch } = await started();
    store.yank(at(10), '1.0.0');
    await Promise.all([watch.check(), otherWatch.check()]);
    for (const each of [heard, other.heard]) expect(each).toContainEqual(YANKED);
  });

  it('checks at the start and every three minutes, later after a failure, until it is stopped', async () => {
    const { store, library, events, reader, keys, storage } = await started();
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
    const { store, library, events, reader, keys, storage } = await started();
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
    const { store, watch, library } = await started();
    await watch.check();
    expect(await watch.check()).toMatchObject({ refused: null, signedAt: store.state.signedAt });
    const asked = store.seen.filter(({ url }) => url === LIST);
    expect(asked.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, expect.stringMatching(/^"/)]);
    store.yank(at(10), '1.0.0');
    await watch.check();
    expect(library.get(APP)).toMatchObject({ on: false });
  });

  it('is sent again after it was refused, and a 304 then changes nothing', async () => {
    const { store, watch, library } = await started();
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
    const { store, clock, library, events, reader, keys, storage } = await started();
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

describe('a store that lies about yanks', () => {
  it('cannot replace the list with an older one (replay)', async () => {
    const { store, library, watch } = await started();
    const old = signRevocations([], at(5), store.state.key);
    store.yank(at(10), '1.0.0');
    await watch.check();
    store.lie(LIST, (response) => store.answer(response, 200, old));
    expect(await watch.check()).toMatchObject({ refused: 'rolled-back', signedAt: at(10) });
    expect(library.get(APP)).toMatchObject({ on: false, yanked: { at: at(10) } });
  });

  it('cannot replace the list with an older one in a client that is opened later', async () => {
    const { store, watch, folder } = await started();
    store.yank(at(10), '1.0.0');
    await watch.check();
    const later = await openWorld(store, { folder });
    store.yank(at(5));
    const again = createRevocationWatch({ ...later, system, onFault: fail });
    expect(await again.check()).toMatchObject({ refused: 'rolled-back' });
    expect(later.heard).toContainEqual(YANKED);
  });

  it('is detected when it keeps serving the same list (freeze)', async () => {
    const { watch, heard, clock, store } = await started();
    expect(await watch.check()).toMatchObject({ stale: false });
    clock.now = Date.parse(store.state.signedAt) + 3 * 3_600_000 + 1;
    expect(await watch.check()).toMatchObject({ refused: null, stale: true });
    expect(heard.at(-1)).toEqual({
      type: 'revocations-stale',
      store: store.url,
      signedAt: store.state.signedAt,
    });
  });

  it('is detected when it serves no list, which changes no app', async () => {
    const { store, library, watch, heard, clock } = await started();
    await watch.check();
    store.lie(LIST, (response) => response.destroy());
    expect(await watch.check()).toMatchObject({ refused: 'store-unreachable', stale: false });
    clock.now += 4 * 3_600_000;
    expect(await watch.check()).toMatchObject({ refused: 'store-unreachable', stale: true });
    expect(typesOf(heard)).toEqual([
      // The store of these tests has no log.
      'log-missing',
      'app-installed',
      'revocations-refused',
      'revocations-refused',
      'revocations-stale',
    ]);
    expect(library.requireUsable(APP).on).toBe(true);
  });

  it.each([
    ['an unknown key', () => newKey()],
    ['the retired key', null],
  ])('cannot yank a version with %s', async (_name, make) => {
    const { store, library, watch, keys } = await started();
    const retired = store.state.key;
    store.rotate('2025-06-01T00:00:00.000Z');
    await keys.follow();
    const key = make?.() ?? retired;
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Out of spite.', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, signRevocations(entries, at(10), key)));
    expect(await watch.check()).toMatchObject({ refused: 'not-verified', signedAt: null });
    expect(library.requireUsable(APP).on).toBe(true);
  });

  it('cannot change the entries of a signed list', async () => {
    const { store, library, watch } = await started();
    const list = signRevocations([], at(10), store.state.key);
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Out of spite.', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, { ...list, entries }));
    expect(await watch.check()).toMatchObject({ refused: 'not-verified' });
    expect(library.get(APP)).toMatchObject({ on: true, yanked: null });
  });

  it('cannot prevent the client from reporting an old list, by sending one that has no canonical form', async () => {
    const { store, watch, clock } = await started();
    await watch.check();
    const list = signRevocations([], at(10), store.state.key);
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Half a pair: \ud800', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, { ...list, entries }));
    clock.now += 4 * 3_600_000;
    expect(await watch.check()).toMatchObject({ refused: 'not-verified', stale: true });
  });

  it('can rotate to a new key that the old key signed', async () => {
    const { store, library, watch } = await started();
    await watch.check();
    store.rotate('2026-02-01T00:00:00.000Z');
    store.yank(at(10), '1.0.0');
    expect(await watch.check()).toMatchObject({ refused: null });
    expect(library.get(APP)).toMatchObject({ on: false });
  });
});

describe('accept list', () => {
  /** As in interop/revocations/README.md. */
  type Vector = {
    name: string;
    keys: { keyId: string; publicKeyPem: string }[];
    installed: string[];
    steps: {
      now: string;
      list: unknown;
      verdict: string;
      refusal?: string;
      stale: boolean;
      ahead: boolean;
      off: string[];
    }[];
  };

  const fail = (error: unknown): never => {
    throw error;
  };

  /** A client that trusts the last key of a vector, and gets one list after the other from a store with no other keys. */
  function clientOf(
    storage: Awaited<ReturnType<typeof openLibraryStorage>>,
    { name, keys, installed }: Vector,
  ) {
    const store = `https://${name}.example`;
    const current = keys.slice(-1) as [Vector['keys'][number]];
    const clock = { now: 0, list: null as unknown };
    const reader = {
      store,
      keys: async () => current,
      revocationHeadSince: async () => {
        throw new RuntimeError('store-refused', undefined, { detail: { code: 'not_found' } });
      },
      revocationsSince: async () => ({ list: clock.list as RevocationList, tag: null }),
    } as unknown as StoreReader;
    const watch = createRevocationWatch({
      ...{ storage, reader, onFault: fail, events: createEvents(fail), library: { list: () => [] } },
      keys: createStoreKeys({ storage, reader, pin: current[0].publicKeyPem }),
      system: { ...system, now: () => clock.now },
    });
    return async (now: string, list: unknown) => {
      Object.assign(clock, { now: Date.parse(now), list });
      const { refused, stale, ahead } = await watch.check();
      const off = installed.filter((app) => {
        const [appId = '', version = ''] = app.split('@');
        return yankOf(storage.database, store, { appId, version }) !== null;
      });
      return { refused, stale, ahead, off };
    };
  }

  describe('the interop vectors', () => {
    const vectors = readInterop('revocations') as Vector[];

    it('have the expected outcome, step by step', async () => {
      const storage = await openLibraryStorage(system, await tempFolder());
      try {
        for (const vector of vectors) {
          const take = clientOf(storage, vector);
          for (const { now, list, verdict, refusal, stale, ahead, off } of vector.steps) {
            expect(verdict, vector.name).toBe(refusal === undefined ? 'accept' : 'refuse');
            expect(await take(now, list), vector.name).toEqual({
              refused: refusal ?? null,
              stale,
              ahead,
              off,
            });
          }
        }
      } finally {
        storage.close();
      }
    });
  });
});
