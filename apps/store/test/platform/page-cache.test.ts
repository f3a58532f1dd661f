import { describe, expect, it, vi } from 'vitest';
import { createInvalidation } from '../../src/platform/invalidation.ts';
import { createPageCache } from '../../src/platform/page-cache.ts';

function cacheAt() {
  let now = 0;
  const invalidation = createInvalidation(async () => 0);
  const times = { lifetimeMs: 1_000, graceMs: 100 };
  const cache = createPageCache<{ bytes: number }>(() => new Date(now), invalidation, times);
  const make = vi.fn(async () => ({ bytes: 4 }));
  return {
    cache,
    invalidate: invalidation.invalidate,
    make,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

describe('page cache', () => {
  it('generates a page once for concurrent requests, and again after its lifetime', async () => {
    const { cache, make, advance } = cacheAt();
    await Promise.all(Array.from({ length: 10 }, () => cache.get('a', make)));
    expect(make).toHaveBeenCalledTimes(1);
    advance(999);
    await cache.get('a', make);
    expect(make).toHaveBeenCalledTimes(1);
    advance(1);
    await cache.get('a', make);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('does not cache a failure', async () => {
    const { cache, make } = cacheAt();
    await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get('a', make)).toEqual({ bytes: 4 });
  });

  it('caches a bounded number of pages, the newest ones', async () => {
    const { cache, make } = cacheAt();
    for (let n = 0; n < 2_000; n += 1) await cache.get(`page ${n}`, make);
    make.mockClear();
    await cache.get('page 1999', make);
    expect(make).not.toHaveBeenCalled();
    await cache.get('page 0', make);
    expect(make).toHaveBeenCalledOnce();
  });

  it('caches a bounded number of bytes, the newest pages', async () => {
    const { cache } = cacheAt();
    const large = async () => ({ bytes: 10 * 1024 * 1024 });
    for (let n = 0; n < 10; n += 1) await cache.get(`page ${n}`, large);
    const held = Array.from({ length: 10 }, (_, n) => cache.peek(`page ${n}`) !== null);
    expect(held).toEqual([false, false, false, false, true, true, true, true, true, true]);
  });

  it('keeps a page that is requested often, however many other pages are requested once', async () => {
    const { cache, make } = cacheAt();
    const front = await cache.get('front', make);
    for (let n = 0; n < 2_000; n += 1) {
      await cache.get(`made up ${n}`, make);
      expect(cache.peek('front')).toBe(front);
    }
  });

  it('returns a page larger than the cache without caching it or evicting others', async () => {
    const { cache, make } = cacheAt();
    const small = await cache.get('small', make);
    const large = { bytes: 65 * 1024 * 1024 };
    expect(await cache.get('large', async () => large)).toBe(large);
    expect([cache.peek('large'), cache.peek('small')]).toEqual([null, small]);
  });

  it('keeps the newer of two pages when the older one is finished last', async () => {
    const { cache, advance } = cacheAt();
    let finish = (_page: { bytes: number }) => {};
    const older = cache.get('a', () => new Promise<{ bytes: number }>((resolve) => (finish = resolve)));
    advance(1_000);
    const newer = await cache.get('a', async () => ({ bytes: 2 }));
    finish({ bytes: 1 });
    await older;
    expect(cache.peek('a')).toBe(newer);
  });

  it('peeks at a cached page until its lifetime ends', async () => {
    const { cache, make, advance } = cacheAt();
    expect(cache.peek('a')).toBeNull();
    const page = await cache.get('a', make);
    expect(cache.peek('a')).toBe(page);
    advance(1_000);
    expect(cache.peek('a')).toBeNull();
  });

  it('serves an invalidated page until its grace period ends, and then generates it once', async () => {
    const { cache, make, advance, invalidate } = cacheAt();
    const old = await cache.get('a', make);
    advance(50);
    for (let n = 0; n < 10; n += 1) invalidate();
    expect(cache.peek('a')).toBe(old);
    advance(50);
    expect(cache.peek('a')).toBeNull();
    await cache.get('a', make);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('generates an invalidated page at once when its grace period was over before', async () => {
    const { cache, make, advance, invalidate } = cacheAt();
    await cache.get('a', make);
    advance(100);
    expect(cache.peek('a')).not.toBeNull();
    invalidate();
    await cache.get('a', make);
    expect(make).toHaveBeenCalledTimes(2);
  });
});
