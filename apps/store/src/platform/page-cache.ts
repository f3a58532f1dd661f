import type { Clock } from './system.ts';

type Held<P> = { madeAt: number; until: number; page: Promise<P>; ready: P | null };

/** A client that makes up queries fills the cache, so it is bounded in pages and in bytes. */
const MAX_PAGES = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Keeps answers for a while; each says what it takes in memory. However many ask at once, a page is made once; a failure is not kept.
 * @param lifetimeMs how long a page may be served, in milliseconds
 * @param restMs how long it may be served though something has changed, in milliseconds. Without a rest a store where
 *   much is published makes its pages again for nearly every reader, just when it has the most to do.
 */
export function createPageCache<P extends { bytes: number }>(
  clock: Clock,
  { lifetimeMs, graceMs }: { lifetimeMs: number; graceMs: number },
) {
  const pages = new Map<string, Held<P>>();

  const fresh = (key: string): Held<P> | undefined => {
    const held = pages.get(key);
    const now = clock().getTime();
    // Made by a clock that was ahead it would be served until the clock is there again.
    return held && held.madeAt <= now && held.until > now ? held : undefined;
  };

  let bytes = 0;

  function drop(key: string, held: Held<P>): void {
    if (pages.get(key) !== held) return;
    pages.delete(key);
    bytes -= held.ready?.bytes ?? 0;
  }

  /** A Map keeps the order of insertion, so the first entry is the page made longest ago. */
  function makeRoom(): void {
    for (const [key, held] of pages) {
      if (pages.size <= MAX_PAGES && bytes <= MAX_BYTES) return;
      drop(key, held);
    }
  }

  function hold(key: string, page: Promise<P>): void {
    const madeAt = clock().getTime();
    const held: Held<P> = { madeAt, until: madeAt + lifetimeMs, page, ready: null };
    const old = pages.get(key);
    if (old) drop(key, old);
    pages.set(key, held);
    makeRoom();
    page.then(
      (ready) => {
        if (pages.get(key) !== held) return;
        held.ready = ready;
        bytes += ready.bytes;
        makeRoom();
      },
      () => drop(key, held),
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
    /** Something has changed: what is held is served only until it has had its rest. */
    invalidate(): void {
      for (const held of pages.values()) held.until = Math.min(held.until, held.madeAt + graceMs);
    },
  };
}

export type PageCache<P extends { bytes: number }> = ReturnType<typeof createPageCache<P>>;
