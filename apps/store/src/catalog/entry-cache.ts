import { LRUCache } from 'lru-cache';
import type { VersionFacts } from '../domain/listings/present.ts';
import type { VersionRef } from '../domain/versions/version-store.ts';

/** As many as some hundred pages of the catalogue hold between them; a few kilobytes each. */
const MAX_ENTRIES = 2_000;

const keyOf = ({ appId, version }: VersionRef): string => `${appId}\n${version}`;

/**
 * Keeps what listed versions say of themselves. A published version never changes, so that a page which is made again
 * whenever anything is published need not read and take apart a hundred manifests again.
 */
export function createEntryCache() {
  const entries = new LRUCache<string, VersionFacts>({ max: MAX_ENTRIES });

  return {
    /**
     * What some versions say, by version, in the order in which they were asked for.
     * @param load brings those that are not held; whichever it leaves out is left out
     */
    async get(
      refs: readonly VersionRef[],
      load: (missing: VersionRef[]) => Promise<VersionFacts[]>,
    ): Promise<VersionFacts[]> {
      const held = refs.map((ref) => entries.get(keyOf(ref)));
      const missing = refs.filter((_ref, n) => held[n] === undefined);
      const loaded = missing.length === 0 ? [] : await load(missing);
      const fresh = new Map(loaded.map((facts) => [keyOf(facts), facts]));
      for (const [key, facts] of fresh) entries.set(key, facts);
      return refs.flatMap((ref, n) => held[n] ?? fresh.get(keyOf(ref)) ?? []);
    },
  };
}

export type EntryCache = ReturnType<typeof createEntryCache>;
