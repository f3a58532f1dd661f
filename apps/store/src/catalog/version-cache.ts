import { LRUCache } from 'lru-cache';
import type { VersionRef } from '../domain/versions/version-store.ts';

/** Versions that are loaded at once: each may bring a manifest of 256 KiB. */
const LOADED_AT_ONCE = 200;

const keyOf = ({ appId, version }: VersionRef): string => `${appId}\n${version}`;

/**
 * Keeps what published versions say of themselves. A published version never changes, so that an answer which is made again
 * whenever anything is published need not read and parse all those manifests again.
 * @param max how many are kept
 */
export function createVersionCache<Facts extends VersionRef>(max: number) {
  // Counted by `maxSize`, which grows with what is kept: `max` takes room for all of them at once.
  const kept = new LRUCache<string, Facts>({ maxSize: max, sizeCalculation: () => 1 });

  return {
    /**
     * What some versions say, in the order in which they were asked for.
     * @param load brings those that are not held, some at a time; whichever it leaves out is left out
     */
    async get(
      refs: readonly VersionRef[],
      load: (missing: VersionRef[]) => Promise<Facts[]>,
    ): Promise<Facts[]> {
      const held = refs.map((ref) => kept.get(keyOf(ref)));
      const missing = refs.filter((_ref, n) => held[n] === undefined);
      const fresh = new Map<string, Facts>();
      for (let from = 0; from < missing.length; from += LOADED_AT_ONCE) {
        for (const facts of await load(missing.slice(from, from + LOADED_AT_ONCE))) {
          fresh.set(keyOf(facts), facts);
          kept.set(keyOf(facts), facts);
        }
      }
      return refs.flatMap((ref, n) => held[n] ?? fresh.get(keyOf(ref)) ?? []);
    },
  };
}

export type VersionCache<Facts extends VersionRef> = ReturnType<typeof createVersionCache<Facts>>;
