import { createHash } from 'node:crypto';
import type { Clock } from '../platform/ambient.ts';

/** An answer ready to send. */
export type CachedPage = { body: Uint8Array; headers: Record<string, string> & { ETag: string } };

type Held = { madeAt: number; until: number; page: Promise<CachedPage>; ready: CachedPage | null };

/** Whoever makes up queries fills the cache, so it is bounded in pages and in bytes. */
const MOST_PAGES = 500;
const MOST_BYTES = 64 * 1024 * 1024;

/** A strong entity tag (RFC 9110 section 8.8.3) over the bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/**
 * Keeps answers for a while. However many ask at once, a page is made once; a failure is not kept.
 * @param lifetimeMs how long a page may be served, in milliseconds
 * @param restMs how long it may be served though something has changed, in milliseconds. Without a rest a store where
 *   much is published makes its pages anew for nearly every reader, just when it has the most to do.
 */
export function createPageCache(
  clock: Clock,
  { lifetimeMs, restMs }: { lifetimeMs: number; restMs: number },
) {
  const pages = new Map<string, Held>();

  const fresh = (key: string): Held | undefined => {
    const held = pages.get(key);
    return held && held.until > clock().getTime() ? held : undefined;
  };

  let bytes = 0;

  function drop(key: string, held: Held): void {
    if (pages.get(key) !== held) return;
    pages.delete(key);
    bytes -= held.ready?.body.byteLength ?? 0;
  }

  /** A Map keeps the order of insertion, so the first entry is the page made longest ago. */
  function makeRoom(): void {
    for (const [key, held] of pages) {
      if (pages.size <= MOST_PAGES && bytes <= MOST_BYTES) return;
      drop(key, held);
    }
  }

  function hold(key: string, page: Promise<CachedPage>): void {
    const madeAt = clock().getTime();
    const held: Held = { madeAt, until: madeAt + lifetimeMs, page, ready: null };
    const old = pages.get(key);
    if (old) drop(key, old);
    pages.set(key, held);
    makeRoom();
    page.then(
      (ready) => {
        if (pages.get(key) !== held) return;
        held.ready = ready;
        bytes += ready.body.byteLength;
        makeRoom();
      },
      () => drop(key, held),
    );
  }

  return {
    /** The page, made by `make` unless one is held or under way. */
    get(key: string, make: () => Promise<CachedPage>): Promise<CachedPage> {
      const held = fresh(key);
      if (held) return held.page;
      const page = make();
      hold(key, page);
      return page;
    },
    /** The page if it is there already, without waiting. */
    peek: (key: string): CachedPage | null => fresh(key)?.ready ?? null,
    /** Something has changed: what is held is served only until it has had its rest. */
    outdate(): void {
      for (const held of pages.values()) held.until = Math.min(held.until, held.madeAt + restMs);
    },
  };
}

export type PageCache = ReturnType<typeof createPageCache>;
