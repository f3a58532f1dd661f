import { appendKey } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { newKey, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

const idsOf = (ring: ReadonlyMap<string, unknown>): string[] => [...ring.keys()];
const KEYS = '/api/apps/public-keys';

async function started(given: Parameters<typeof openWorld>[1] = {}) {
  const store = await startSigningStore();
  return { store, ...(await openWorld(store, given)) };
}

describe('the keys of a store', () => {
  it('are pinned on first use, and not asked for again', async () => {
    const { store, keys, folder } = await started();
    const { keyId } = store.state.key;
    expect(idsOf(await keys.forFacts(keyId))).toEqual([keyId]);
    store.lie(KEYS, (response) => response.destroy());
    const later = await openWorld(store, { folder });
    expect(idsOf(await later.keys.forFacts(keyId))).toEqual([keyId]);
  });

  it('are followed when each is signed by the one before; lists must be signed by the last alone', async () => {
    const { store, keys } = await started();
    const first = store.state.key.keyId;
    await keys.forFacts(first);
    store.rotate('2026-02-01T00:00:00.000Z');
    store.rotate('2026-03-01T00:00:00.000Z');
    const last = store.state.key.keyId;
    expect(idsOf(await keys.forRevocations())).toEqual([first]);
    expect(idsOf(await keys.forFacts(last))).toEqual(store.state.chain.map(({ keyId }) => keyId));
    expect(idsOf(await keys.forRevocations())).toEqual([last]);
  });

  it('begin with the key that the client was given, without asking the store', async () => {
    const { state } = await startSigningStore();
    const { store, keys } = await started({ pin: state.key.publicKeyPem });
    expect(idsOf(await keys.forRevocations())).toEqual([state.key.keyId]);
    expect(store.seen).toEqual([]);
    await expect(keys.forFacts(store.state.key.keyId)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('may include a successor that a newer client was given', async () => {
    const { store, keys, folder } = await started();
    await keys.forFacts(store.state.key.keyId);
    store.rotate('2026-02-01T00:00:00.000Z');
    const newer = await openWorld(store, { folder, pin: store.state.key.publicKeyPem });
    expect(idsOf(await newer.keys.forRevocations())).toEqual([store.state.key.keyId]);
  });

  it('are pinned once by two processes that use a store for the first time', async () => {
    const { store, keys, folder } = await started();
    const other = await openWorld(store, { folder });
    const keyId = store.state.key.keyId;
    const rings = await Promise.all([keys, other.keys, keys, other.keys].map((one) => one.forFacts(keyId)));
    expect(rings.map(idsOf)).toEqual(Array.from({ length: 4 }, () => [keyId]));
  });
});

describe('a store that lies about its keys', () => {
  it.each([
    ['a key of its own instead', false],
    ['a key of its own besides', true],
  ])('is not believed when it lists %s (key swap)', async (_name, besides) => {
    const { store, keys } = await started();
    const trusted = store.state.key.keyId;
    await keys.forFacts(trusted);
    const { keyId, publicKeyPem } = newKey();
    const own = { keyId, publicKeyPem, createdAt: '2026-02-01T00:00:00.000Z' };
    const [first] = store.state.chain;
    const retired = first && { ...first, retiredAt: own.createdAt };
    store.lie(KEYS, (response) => store.answer(response, 200, { keys: besides ? [retired, own] : [own] }));
    await expect(keys.forFacts(keyId)).rejects.toMatchObject({ code: 'not-verified' });
    expect(idsOf(await keys.forFacts(trusted))).toEqual([trusted]);
  });

  it('is not believed when it takes a rotation back', async () => {
    const { store, keys } = await started();
    const before = store.state.chain;
    store.rotate('2026-02-01T00:00:00.000Z');
    await keys.forFacts(store.state.key.keyId);
    store.state.chain = before;
    await expect(keys.follow()).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is not believed when it comes back to a retired key, in a list that begins after it', async () => {
    const { store, keys } = await started();
    const first = store.state.key;
    await keys.forFacts(first.keyId);
    store.rotate('2026-02-01T00:00:00.000Z');
    await keys.follow();
    const second = store.state.key;
    const { keyId, publicKeyPem } = second;
    const root = [{ keyId, publicKeyPem, createdAt: '2026-02-01T00:00:00.000Z' }];
    store.state.chain = appendKey(root, second, first, '2026-03-01T00:00:00.000Z');
    await expect(keys.follow()).rejects.toMatchObject({ code: 'not-verified' });
    expect(idsOf(await keys.forRevocations())).toEqual([second.keyId]);
  });

  it('is not believed when it gives a key the name of another at first', async () => {
    const { store, keys } = await started();
    const [first] = store.state.chain;
    store.state.chain = [
      { ...first, publicKeyPem: newKey().publicKeyPem } as (typeof store.state.chain)[number],
    ];
    await expect(keys.forFacts(first?.keyId ?? '')).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is not pinned again because the client was given another key', async () => {
    const { store, keys, folder } = await started();
    await keys.forFacts(store.state.key.keyId);
    const other = await openWorld(store, { folder, pin: newKey().publicKeyPem });
    await expect(other.keys.forFacts(store.state.key.keyId)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is trusted again by another key only when a person says so', async () => {
    const { store, keys } = await started();
    await keys.forFacts(store.state.key.keyId);
    const next = newKey();
    keys.repin(next.publicKeyPem);
    expect(idsOf(await keys.forRevocations())).toEqual([next.keyId]);
    expect(() => keys.repin('no key')).toThrow();
  });
});
