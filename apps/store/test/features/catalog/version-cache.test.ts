import { describe, expect, it, vi } from 'vitest';
import type { VersionFacts } from '../../../src/domain/listings/present.ts';
import type { VersionRef } from '../../../src/domain/versions/version-record.ts';
import { createVersionCache } from '../../../src/features/catalog/version-cache.ts';

const ref = (n: number): VersionRef => ({ appId: `a.b${n}`, version: '1.0.0' });
const factsOf = (one: VersionRef) => ({ ...one, name: `Of ${one.appId}` }) as VersionFacts;

describe('createVersionCache', () => {
  it('loads missing versions once, and returns all in the requested order', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = vi.fn(async (missing: VersionRef[]) => missing.map(factsOf).reverse());
    await cache.get([ref(1), ref(2)], load);
    const found = await cache.get([ref(3), ref(1), ref(2)], load);
    expect(found.map(({ appId }) => appId)).toEqual(['a.b3', 'a.b1', 'a.b2']);
    expect(load.mock.calls).toEqual([[[ref(1), ref(2)]], [[ref(3)]]]);
  });

  it('distinguishes versions of the same app', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = async (missing: VersionRef[]) => missing.map(factsOf);
    await cache.get([ref(1)], load);
    const [found] = await cache.get([{ appId: 'a.b1', version: '1.0.1' }], load);
    expect(found?.version).toBe('1.0.1');
  });

  it('omits versions that do not exist, and does not cache that', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const none = vi.fn(async () => []);
    expect(await cache.get([ref(1)], none)).toEqual([]);
    expect(await cache.get([ref(1)], none)).toEqual([]);
    expect(none).toHaveBeenCalledTimes(2);
  });

  it('caches a bounded number of versions, but returns more', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = vi.fn(async (missing: VersionRef[]) => missing.map(factsOf));
    const many = Array.from({ length: 5_000 }, (_, n) => ref(n));
    expect(await cache.get(many, load)).toHaveLength(5_000);
    load.mockClear();
    await cache.get([ref(4_999)], load);
    expect(load).not.toHaveBeenCalled();
    await cache.get([ref(0)], load);
    expect(load).toHaveBeenCalledOnce();
  });

  it('does not cache a failure', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    await expect(cache.get([ref(1)], () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.get([ref(1)], async (missing) => missing.map(factsOf))).toHaveLength(1);
  });
});
