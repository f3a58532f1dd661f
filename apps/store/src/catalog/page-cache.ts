import { createHash } from 'node:crypto';
import type { Clock } from '../platform/ambient.ts';

/** An answer ready to send. */
export type CachedPage = { body: Uint8Array; etag: string; headers: Record<string, string> };

const MOST_PAGES = 500;

/** A strong entity tag (RFC 9110 section 8.8.3) over the bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/**
 * Keeps answers for a while. However many ask at once, a page is made once; a failure is not kept.
 * @param lifetimeMs how long a page may be served, in milliseconds
 */
export function createPageCache(clock: Clock, lifetimeMs: number) {
  const pages = new Map<string, { until: number; page: Promise<CachedPage> }>();
  return {
    get(key: string, make: () => Promise<Omit<CachedPage, 'etag'>>): Promise<CachedPage> {
      const now = clock().getTime();
      const held = pages.get(key);
      if (held && held.until > now) return held.page;
      const page = make().then((made) => ({ ...made, etag: etagOf(made.body) }));
      pages.delete(key);
      pages.set(key, { until: now + lifetimeMs, page });
      page.catch(() => pages.delete(key));
      // A Map keeps the order of insertion, so the first key is the page made longest ago.
      const oldest = pages.keys().next().value;
      if (pages.size > MOST_PAGES && oldest !== undefined) pages.delete(oldest);
      return page;
    },
    clear: () => pages.clear(),
  };
}

export type PageCache = ReturnType<typeof createPageCache>;
