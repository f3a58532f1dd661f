import { LRUCache } from 'lru-cache';
import type { Invalidation } from './invalidation.ts';
import type { Clock } from './system.ts';

type CachedPage<P> = { madeAt: number; until: number; page: Promise<P>; ready: P | null };

/** A client could fill the cache with made-up queries, so it is limited in pages and in bytes; the least recently used go first. */
const MAX_PAGES = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Creates a cache of responses, which state their size in memory. Concurrent requests of a page share one rendering; a failure is not
 * cached.
 * @param invalidation tells when the database has changed: cached pages are then served only until their grace period
 *   ends; null for pages that do not depend on it
 * @param lifetimeMs how long a page may be served, in milliseconds
 * @param graceMs how long it may still be served after a change, in milliseconds. Without a grace period a busy store would render its
 *   pages for nearly every request.
 */
export function createPageCache<P extends { bytes: number }>(
  clock: Clock,
  invalidation: Invalidation | null,
  { lifetimeMs, graceMs }: { lifetimeMs: number; graceMs: number },
) {
  const pages = new LRUCache<string, CachedPage<P>>({
    max: MAX_PAGES,
    maxSize: MAX_BYTES,
    // The size of a page is known once it is rendered; an empty page counts too.
    sizeCalculation: ({ ready }) => Math.max(1, ready?.bytes ?? 0),
  });

  const fresh = (key: string): CachedPage<P> | undefined => {
    const cached = pages.get(key);
    const now = clock().getTime();
    // A page with a time in the future, of a clock that was ahead, would be served for too long.
    return cached && cached.madeAt <= now && cached.until > now ? cached : undefined;
  };

  /** The entry of a page that is being rendered, unless another has replaced it. */
  const entryOf = (key: string, page: Promise<P>): CachedPage<P> | undefined => {
    const cached = pages.peek(key);
    return cached?.page === page ? cached : undefined;
  };

  function store(key: string, page: Promise<P>): void {
    const madeAt = clock().getTime();
    pages.set(key, { madeAt, until: madeAt + lifetimeMs, page, ready: null });
    page.then(
      (ready) => {
        const cached = entryOf(key, page);
        if (cached) pages.set(key, { ...cached, ready });
      },
      () => {
        if (entryOf(key, page)) pages.delete(key);
      },
    );
  }

  invalidation?.onChange(() => {
    for (const cached of pages.values()) cached.until = Math.min(cached.until, cached.madeAt + graceMs);
  });

  return {
    /** Returns the page, and renders it with `make` unless it is cached or being rendered. */
    get(key: string, make: () => Promise<P>): Promise<P> {
      const cached = fresh(key);
      if (cached) return cached.page;
      const page = make();
      store(key, page);
      return page;
    },
    /** Returns the page if it is cached, without waiting. */
    peek: (key: string): P | null => fresh(key)?.ready ?? null,
  };
}

export type PageCache<P extends { bytes: number }> = ReturnType<typeof createPageCache<P>>;
