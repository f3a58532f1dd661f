import { expect, it } from 'vitest';
import { lastListOf, yankOf } from '../../src/library/app-table.ts';
import { acceptList } from '../../src/revocations/accept-list.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { NOW, openWorld, system } from '../support/world.ts';

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

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
