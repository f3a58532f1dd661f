import { LRUCache } from 'lru-cache';
import type { Clock } from './system.ts';

type Held<P> = { madeAt: number; until: number; page: Promise<P>; ready: P | null };

/** A client that makes up queries fills the cache, so it is bounded in pages and in bytes; what is asked for stays. */
const MAX_PAGES = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Keeps answers for a while; each says what it takes in memory. However many ask at once, a page is made once; a failure is not kept.
 * @param lifetimeMs how long a page may be served, in milliseconds
 * @param graceMs how long it may be served though something has changed, in milliseconds. Without it a store where
 *   much is published makes its pages again for nearly every reader, just when it has the most to do.
 */
export function createPageCache<P extends { bytes: number }>(
  clock: Clock,
  { lifetimeMs, graceMs }: { lifetimeMs: number; graceMs: number },
) {
  const pages = new LRUCache<string, Held<P>>({
    max: MAX_PAGES,
    maxSize: MAX_BYTES,
    // What a page takes is known once it is made; an empty one takes room too.
    sizeCalculation: ({ ready }) => Math.max(1, ready?.bytes ?? 0),
  });

  const fresh = (key: string): Held<P> | undefined => {
    const held = pages.get(key);
    const now = clock().getTime();
    // Made by a clock that was ahead it would be served until the clock is there again.
    return held && held.madeAt <= now && held.until > now ? held : undefined;
  };

  /** The entry of a page that is under way, unless another took its place meanwhile. */
  const entryOf = (key: string, page: Promise<P>): Held<P> | undefined => {
    const held = pages.peek(key);
    return held?.page === page ? held : undefined;
  };

  function hold(key: string, page: Promise<P>): void {
    const madeAt = clock().getTime();
    pages.set(key, { madeAt, until: madeAt + lifetimeMs, page, ready: null });
    page.then(
      (ready) => {
        const held = entryOf(key, page);
        if (held) pages.set(key, { ...held, ready });
      },
      () => {
        if (entryOf(key, page)) pages.delete(key);
      },
    );
  }

  return {
    /** The page, made by `make` unless one is held or under way. */
    get(key: string, make: () => Promise<P>): Promise<P> {
      const held = fresh(key);
      if (held) return held.page;
      const page = make();
      hold(key, page);
      return page;
    },
    /** The page if it is there already, without waiting. */
    peek: (key: string): P | null => fresh(key)?.ready ?? null,
    /** Something has changed: what is held is served only until its grace has passed. */
    invalidate(): void {
      for (const held of pages.values()) held.until = Math.min(held.until, held.madeAt + graceMs);
    },
  };
}

export type PageCache<P extends { bytes: number }> = ReturnType<typeof createPageCache<P>>;
