import { systemActor } from '../../domain/audit/audit-log.ts';
import type { PublisherStore } from '../../domain/identity/publisher-store.ts';
import { type CheckDeps, checkWebsite } from './check-website.ts';
import { hostOf } from './proof.ts';

const BATCH = 20;

/**
 * Checks verified websites again whose last check was a week ago. A process claims each check first, so that only one process does
 * it; a check that a process does not finish is done a week later.
 * @param signal stops after the current check
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
  const verification = await deps.publishers.verificationStatus(slug);
  const host = hostOf(publisher?.website);
  if (host === null || !verification) return;
  await checkWebsite(deps, systemActor('store'), { slug, host, proof: verification.proof });
}
