import { systemActor } from '../domain/audit/audit-log.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import { type CheckDeps, checkWebsite } from './check-website.ts';
import { hostOf } from './proof.ts';

const BATCH = 20;

/**
 * Looks again at the websites that have verified their publishers and that nobody has looked at for a week. Each is claimed
 * first, so that of several processes one does it; what a process leaves undone is done a week later.
 * @param signal aborted when there is no more time
 */
export async function recheckWebsites(
  deps: CheckDeps & { publishers: PublisherStore },
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const now = deps.clock();
    const due = await deps.publishers.dueForCheck(now.toISOString(), BATCH);
    for (const check of due) {
      if (signal?.aborted) return;
      if (await deps.publishers.claimCheck(check, now.toISOString())) await recheck(deps, check.slug);
    }
    if (due.length < BATCH) return;
  }
}

async function recheck(deps: CheckDeps & { publishers: PublisherStore }, slug: string): Promise<void> {
  const publisher = await deps.publishers.find(slug);
  const standing = await deps.publishers.standing(slug);
  const host = hostOf(publisher?.website);
  if (host === null || !standing) return;
  await checkWebsite(deps, systemActor('store'), { slug, host, proof: standing.proof });
}
