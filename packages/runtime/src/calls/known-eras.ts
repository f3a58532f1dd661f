/** Which generation of MCP a server speaks: `modern` since 2026-07-28 (`server/discover`), `legacy` before (`initialize`). */
export type Era = 'modern' | 'legacy';

/** What servers were found to speak, so that each is asked in the right way at once. */
export type KnownEras = {
  /** Null for a server that was not met, or not lately. */
  of(url: string): Era | null;
  record(url: string, era: Era): void;
};

/** Servers that are remembered: the ones met last. */
const MAX_SERVERS = 500;
/** How long an answer counts, in milliseconds: a server that was upgraded is noticed within a day. */
const DAY_MS = 24 * 60 * 60_000;

/** Remembers for as long as the process lives. */
export function createKnownEras(system: { now(): number }): KnownEras {
  const known = new Map<string, { era: Era; at: number }>();
  return {
    of(url) {
      const entry = known.get(url);
      return entry && system.now() - entry.at < DAY_MS ? entry.era : null;
    },
    record(url, era) {
      known.delete(url);
      known.set(url, { era, at: system.now() });
      const [oldest] = known.keys();
      if (known.size > MAX_SERVERS && oldest !== undefined) known.delete(oldest);
    },
  };
}
