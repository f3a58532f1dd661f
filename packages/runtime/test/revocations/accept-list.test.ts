import type { RevocationList } from '@svc/contracts';
import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createEvents } from '../../src/events/events.ts';
import { lastListOf, yankOf } from '../../src/library/app-table.ts';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { acceptList } from '../../src/revocations/accept-list.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { createStoreKeys } from '../../src/store/store-keys.ts';
import type { StoreReader } from '../../src/store/store-reader.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { at, fail, NOW, openWorld, system } from '../support/world.ts';

/** A client that trusts the key of a store, and accepts lists with a hash of each version. */
async function started() {
  const store = await startSigningStore();
  const { storage, keys } = await openWorld(store);
  await keys.forRevocations();
  const { keyId } = store.state.key;
  const clock = { now: NOW };
  const deps = { system: { ...system, now: () => clock.now }, storage, store: store.url };
  const entriesOf = (version: string) => [{ appId: APP, version, reason: 'x', at: at(1) }];
  const accept = (minute: number, version: string, isKnown = false, signer = keyId) =>
    acceptList(deps, {
      signedAt: at(minute),
      entriesHash: version,
      keyId: signer,
      entries: isKnown ? null : entriesOf(version),
      segments: null,
    });
  const isOff = (version: string) => yankOf(storage.database, store.url, { appId: APP, version }) !== null;
  /** What another process does that has learned of a newer key. */
  function rotateTo(newest: string) {
    const { keys } = storage.database.prepare('select keys from stores').get() as { keys: string };
    const ring = [...JSON.parse(keys), { ...JSON.parse(keys).at(-1), keyId: newest }];
    storage.database.prepare('update stores set keys = ?').run(JSON.stringify(ring));
  }
  return { accept, clock, isOff, keyId, last: () => lastListOf(storage.database, store.url), rotateTo };
}

it('takes the entries of the last accepted list for a later one with the same hash', async () => {
  const { accept, isOff, last } = await started();
  expect([accept(1, '1.0.0'), accept(2, '1.0.0', true)]).toEqual([true, true]);
  expect([isOff('1.0.0'), last()?.signedAt]).toEqual([true, at(2)]);
});

it('does not take the entries of a list that another process accepted since for its own', async () => {
  const { accept, isOff, last } = await started();
  accept(1, '1.0.0');
  accept(2, '2.0.0');
  expect(accept(3, '1.0.0', true)).toBe(false);
  expect([isOff('1.0.0'), isOff('2.0.0'), last()?.entriesHash]).toEqual([false, true, '2.0.0']);
});

it('accepts no list of a key that another process has seen replaced since', async () => {
  const { accept, isOff, keyId, rotateTo } = await started();
  rotateTo('newer');
  expect(() => accept(1, '1.0.0', false, keyId)).toThrow(expect.objectContaining({ code: 'rolled-back' }));
  expect(isOff('1.0.0')).toBe(false);
  expect(accept(1, '1.0.0', false, 'newer')).toBe(true);
});

it('counts the age of a list from when it was first accepted, of each key', async () => {
  const { accept, clock, last, rotateTo } = await started();
  accept(1, '1.0.0');
  clock.now += 1000;
  accept(1, '1.0.0');
  expect(last()?.acceptedAt).toBe(NOW);
  rotateTo('newer');
  accept(1, '1.0.0', false, 'newer');
  expect(last()?.acceptedAt).toBe(NOW + 1000);
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
