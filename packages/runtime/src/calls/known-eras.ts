/** The era of MCP that a server supports: `modern` since 2026-07-28 (`server/discover`), `legacy` before (`initialize`). */
export type Era = 'modern' | 'legacy';

/** Maximum number of cached servers. */
const MAX_SERVERS = 500;
/** How long an entry is valid, in milliseconds: an upgraded server is noticed within a day. */
const DAY_MS = 24 * 60 * 60_000;

/** Creates the cache, in memory. */
export function createKnownEras(system: { now(): number }) {
  const known = new Map<string, { era: Era; at: number }>();
  return {
    /** The era of a server; null when it is unknown or expired. */
    of(url: string) {
      const entry = known.get(url);
      return entry && system.now() - entry.at < DAY_MS ? entry.era : null;
    },
    record(url: string, era: Era) {
      known.delete(url);
      known.set(url, { era, at: system.now() });
      const [oldest] = known.keys();
      if (known.size > MAX_SERVERS && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** A cache of the eras of servers. */
export type KnownEras = ReturnType<typeof createKnownEras>;
