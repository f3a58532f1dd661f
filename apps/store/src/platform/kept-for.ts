import type { Invalidation } from './invalidation.ts';
import type { Clock } from './system.ts';

/**
 * Makes something that is slow to make, and keeps it for a time. Callers at the same time share it; a failure is not kept.
 * @param changes when it depends on the database: what changes in it is seen within a grace period; null where its age alone matters
 * @param ms by the clock; what it was set back or ahead of is made again
 * @param make gets what was kept before, and the time
 */
export function keptFor<T>(
  clock: Clock,
  changes: (Invalidation & { graceMs: number }) | null,
  ms: number,
  make: (now: Date, before: Promise<T> | null) => Promise<T>,
): () => Promise<T> {
  let kept: { at: number; ms: number; made: Promise<T> } | null = null;
  changes?.onChange(() => {
    if (kept) kept.ms = Math.min(kept.ms, changes.graceMs);
  });
  return () => {
    const now = clock();
    if (kept && Math.abs(now.getTime() - kept.at) < kept.ms) return kept.made;
    const fresh = { at: now.getTime(), ms, made: make(now, kept?.made ?? null) };
    kept = fresh;
    fresh.made.catch(() => {
      if (kept === fresh) kept = null;
    });
    return fresh.made;
  };
}
