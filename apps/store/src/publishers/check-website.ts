import type { Publisher } from '@svc/contracts';
import type { Actor, AuditLog } from '../domain/audit/audit-log.ts';
import type { PublisherStore, VerificationStatus } from '../domain/identity/publisher-store.ts';
import { type PostDeps, type TellStores, tellMembers } from '../domain/mail/post-mail.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { hostOf, lookForProof } from './proof.ts';
import type { Sites } from './site.ts';

/** How long the proof may be missing: three of the weekly checks then have not found it. */
const MAX_MISSING_MS = 14 * 24 * 3_600_000;

export type CheckStores = TellStores & { publishers: PublisherStore; audit: AuditLog };

export type CheckDeps = PostDeps & { unitOfWork: UnitOfWork<CheckStores>; sites: Sites };

/** What is looked for, and where. */
export type WantedProof = { slug: string; host: string; proof: string };

type Looked = { publisher: Publisher; standing: VerificationStatus; at: string; actor: Actor };

async function noteFound({ publishers, audit }: CheckStores, { publisher, standing, at, actor }: Looked) {
  const { slug, website = '' } = publisher;
  await publishers.change(slug, {
    verifiedBy: standing.verifiedBy ?? 'website',
    verifiedHost: hostOf(website),
    checkedAt: at,
    missingSince: null,
  });
  if (standing.verifiedBy !== null) return;
  await audit.add(actor, at, {
    action: 'publisher.verify',
    publisher: slug,
    detail: { by: 'website', website },
  });
}

async function noteMissing(deps: CheckDeps, stores: CheckStores, { publisher, standing, at, actor }: Looked) {
  const { slug, website = '' } = publisher;
  if (standing.verifiedBy !== 'website') {
    await stores.publishers.change(slug, { checkedAt: at });
    return;
  }
  // A time to come was noted by a clock that was ahead.
  const missingSince = standing.missingSince && standing.missingSince <= at ? standing.missingSince : at;
  if (Date.parse(at) - Date.parse(missingSince) < MAX_MISSING_MS) {
    await stores.publishers.change(slug, { checkedAt: at, missingSince });
    return;
  }
  await stores.publishers.change(slug, { verifiedBy: null, checkedAt: at, missingSince: null });
  const detail = { website, missingSince };
  await stores.audit.add(actor, at, { action: 'publisher.unverify', publisher: slug, detail });
  await tellMembers(
    deps,
    stores,
    slug,
    { kind: 'verification-lost', detail: { publisher: slug, website } },
    'owner',
  );
}

/**
 * Looks for the proof on a website, and draws the conclusions: a publisher that nothing verified is verified by it, and one
 * that it verified stays so, unless the proof has been missing for too long. What an administrator verified stays verified.
 * @param actor who has it looked for
 * @returns what was found, and whether the publisher is verified now; null when the website was changed meanwhile
 */
export async function checkWebsite(deps: CheckDeps, actor: Actor, { slug, host, proof }: WantedProof) {
  const checks = await lookForProof(deps.sites, host, proof);
  const found = checks.some((check) => check.found);
  const verified = await deps.unitOfWork(async (stores) => {
    const publisher = await stores.publishers.find(slug);
    const standing = await stores.publishers.standing(slug);
    if (!publisher || !standing || hostOf(publisher.website) !== host) return null;
    const looked = { publisher, standing, at: deps.clock().toISOString(), actor };
    if (found) await noteFound(stores, looked);
    else await noteMissing(deps, stores, looked);
    return (await stores.publishers.standing(slug))?.verifiedBy !== null;
  });
  return verified === null ? null : { verified, checks };
}
