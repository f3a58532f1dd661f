import { type Actor, systemActor } from '../domain/audit/audit-log.ts';
import type { PublisherStore, PublisherWithStatus } from '../domain/identity/publisher-store.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts, Stores } from '../domain/parts/parts.ts';
import { findProof, hostOf } from './proof.ts';
import type { Sites } from './site.ts';

const BATCH = 20;

/**
 * Checks verified websites again whose last check was a week ago. A process claims each check first, so that only one process does
 * it; a check that a process does not finish is done a week later.
 * @param signal stops after the current checks
 */
export async function recheckWebsites(
  deps: CheckDeps & { publishers: PublisherStore },
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const now = deps.clock();
    const due = await deps.publishers.dueForCheck(now.toISOString(), BATCH);
    if (signal?.aborted) return;
    // Side by side: a website that answers slowly delays no other check.
    await Promise.all(
      due.map(async (check) => {
        if (await deps.publishers.claimCheck(check, now.toISOString())) await recheck(deps, check.slug);
      }),
    );
    if (due.length < BATCH) return;
  }
}

async function recheck(deps: CheckDeps & { publishers: PublisherStore }, slug: string): Promise<void> {
  const found = await deps.publishers.findWithStatus(slug);
  const host = hostOf(found?.publisher.website);
  if (found && host !== null)
    await checkWebsite(deps, systemActor('store'), { slug, host, proof: found.status.proof });
}

/** How long the proof may be missing, in milliseconds: after three of the weekly checks. */
const MAX_MISSING_MS = 14 * 24 * 3_600_000;

export type CheckDeps = ChangeParts & { sites: Sites };

/** The proof to look for, and the host. */
export type ExpectedProof = { slug: string; host: string; proof: string };

type WebsiteCheck = PublisherWithStatus & { at: string; actor: Actor };

async function recordFound(deps: CheckDeps, stores: Stores, { publisher, status, at, actor }: WebsiteCheck) {
  const { slug, website = '' } = publisher;
  await stores.publishers.change(slug, {
    verifiedBy: status.verifiedBy ?? 'website',
    verifiedHost: hostOf(website),
    checkedAt: at,
    missingSince: null,
  });
  if (status.verifiedBy !== null) return;
  const event = { action: 'publisher.verify', publisher: slug, detail: { by: 'website', website } } as const;
  await recordPublisherChange(deps, stores, actor, at, event);
}

async function recordMissing(
  deps: CheckDeps,
  stores: Stores,
  { publisher, status, at, actor }: WebsiteCheck,
) {
  const { slug, website = '' } = publisher;
  if (status.verifiedBy !== 'website') {
    await stores.publishers.change(slug, { checkedAt: at });
    return;
  }
  // A time in the future was recorded by a clock that was ahead.
  const missingSince = status.missingSince && status.missingSince <= at ? status.missingSince : at;
  if (Date.parse(at) - Date.parse(missingSince) < MAX_MISSING_MS) {
    await stores.publishers.change(slug, { checkedAt: at, missingSince });
    return;
  }
  await stores.publishers.change(slug, { verifiedBy: null, checkedAt: at, missingSince: null });
  const detail = { website, missingSince };
  await recordPublisherChange(deps, stores, actor, at, {
    action: 'publisher.unverify',
    publisher: slug,
    detail,
  });
  await notifyMembers(
    deps,
    stores,
    slug,
    { kind: 'verification-lost', detail: { publisher: slug, website } },
    'owner',
  );
}

/**
 * Looks for the proof on a website and updates the verification of the publisher. A found proof verifies an unverified publisher; a
 * proof that has been missing for too long ends a verification by website. Verifications by an administrator stay.
 * @param actor who requested the check
 * @returns the checks, and whether the publisher is verified now; null when the website has changed in the meantime
 */
export async function checkWebsite(deps: CheckDeps, actor: Actor, { slug, host, proof }: ExpectedProof) {
  const checks = await findProof(deps.sites, host, proof);
  const isFound = checks.some(({ found }) => found);
  const verified = await deps.unitOfWork(async (stores) => {
    const found = await stores.publishers.findWithStatus(slug);
    if (!found || hostOf(found.publisher.website) !== host) return null;
    const check = { ...found, at: deps.clock().toISOString(), actor };
    if (isFound) await recordFound(deps, stores, check);
    else await recordMissing(deps, stores, check);
    return (await stores.publishers.find(slug))?.verified === true;
  });
  return verified === null ? null : { verified, checks };
}
