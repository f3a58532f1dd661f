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
  it('are pinned on first use, and not requested again', async () => {
    const { store, keys, folder } = await started();
    const { keyId } = store.state.key;
    expect(idsOf(await keys.forFacts(keyId))).toEqual([keyId]);
    store.lie(KEYS, (response) => response.destroy());
    const later = await openWorld(store, { folder });
    expect(idsOf(await later.keys.forFacts(keyId))).toEqual([keyId]);
  });

  it('are trusted when each is signed by the previous one, and only the last one may sign revocation lists', async () => {
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

  it('begin with the key of the client settings, without a request to the store', async () => {
    const { state } = await startSigningStore();
    const { store, keys } = await started({ pin: state.key.publicKeyPem });
    expect(idsOf(await keys.forRevocations())).toEqual([state.key.keyId]);
    expect(store.seen).toEqual([]);
    await expect(keys.forFacts(store.state.key.keyId)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('may include a successor that is pinned by a newer client', async () => {
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
    ['another key instead', false],
    ['another key in addition', true],
  ])('is refused when it lists %s (key swap)', async (_name, besides) => {
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

  it('is refused when it reverts a rotation', async () => {
    const { store, keys } = await started();
    const before = store.state.chain;
    store.rotate('2026-02-01T00:00:00.000Z');
    await keys.forFacts(store.state.key.keyId);
    store.state.chain = before;
    await expect(keys.follow()).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is refused when it returns to a retired key, in a list that begins after that key', async () => {
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

  it('is refused when its first key has the id of another key', async () => {
    const { store, keys } = await started();
    const [first] = store.state.chain;
    store.state.chain = [
      { ...first, publicKeyPem: newKey().publicKeyPem } as (typeof store.state.chain)[number],
    ];
    await expect(keys.forFacts(first?.keyId ?? '')).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is refused when the client settings have another key than the pinned one', async () => {
    const { store, keys, folder } = await started();
    await keys.forFacts(store.state.key.keyId);
    const other = await openWorld(store, { folder, pin: newKey().publicKeyPem });
    await expect(other.keys.forFacts(store.state.key.keyId)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is trusted with another key after the user has pinned that key', async () => {
    const { store, keys } = await started();
    await keys.forFacts(store.state.key.keyId);
    const next = newKey();
    keys.repin(next.publicKeyPem);
    expect(idsOf(await keys.forRevocations())).toEqual([next.keyId]);
    expect(() => keys.repin('no key')).toThrow();
  });
});
