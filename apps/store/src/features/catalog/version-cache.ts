import { LRUCache } from 'lru-cache';
import type { VersionRef } from '../../domain/versions/version-record.ts';

/** Versions loaded in one query: each may have a manifest of 256 KiB. */
const BATCH = 200;

const keyOf = ({ appId, version }: VersionRef): string => `${appId}\n${version}`;

/**
 * Caches facts of published versions. A published version never changes, so a page that is rebuilt after each publication need
 * not read and parse all manifests again.
 * @param max the most versions in the cache
 */
export function createVersionCache<Facts extends VersionRef>(max: number) {
  // `maxSize` instead of `max`: `max` allocates memory for all entries in advance.
  const cache = new LRUCache<string, Facts>({ maxSize: max, sizeCalculation: () => 1 });

  return {
    /**
     * The facts of some versions, in the given order.
     * @param load loads those that are not cached, in batches; versions that it does not return are left out
     */
    async get(
      refs: readonly VersionRef[],
      load: (missing: VersionRef[]) => Promise<Facts[]>,
    ): Promise<Facts[]> {
      const cached = refs.map((ref) => cache.get(keyOf(ref)));
      const missing = refs.filter((_ref, n) => cached[n] === undefined);
      const fresh = new Map<string, Facts>();
      for (let from = 0; from < missing.length; from += BATCH) {
        for (const facts of await load(missing.slice(from, from + BATCH))) {
          fresh.set(keyOf(facts), facts);
          cache.set(keyOf(facts), facts);
        }
      }
      return refs.flatMap((ref, n) => cached[n] ?? fresh.get(keyOf(ref)) ?? []);
    },
  };
}

export type VersionCache<Facts extends VersionRef> = ReturnType<typeof createVersionCache<Facts>>;
