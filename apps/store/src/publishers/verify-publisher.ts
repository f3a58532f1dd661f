import type { VerificationResult } from '@svc/contracts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../platform/rate.ts';
import type { RateLimitStore } from '../platform/rate-limit-store.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { type CheckDeps, type CheckStores, checkWebsite, type WantedProof } from './check-website.ts';
import { requireActive, requireOwned } from './owner.ts';
import { hostOf } from './proof.ts';

/** Checks a publisher may ask for: each makes the store ask servers that others name. */
const CHECKS: Rate = { what: 'checks of one website', name: 'checks', limit: 10, windowMs: 60 * 60_000 };

export type VerifyDeps = CheckDeps & {
  unitOfWork: UnitOfWork<CheckStores & { people: PersonStore; rateLimits: RateLimitStore }>;
};

async function takeCheck(
  deps: VerifyDeps,
  caller: PersonCaller,
  slug: string,
): Promise<[WantedProof, Quota]> {
  return deps.unitOfWork(async (stores) => {
    const publisher = await requireOwned(stores, caller, slug);
    requireActive(publisher);
    const host = hostOf(publisher.website);
    const standing = await stores.publishers.standing(slug);
    if (host === null || !standing) {
      throw new ApiError('invalid_request', 'There is no website to look at: give the publisher one first.');
    }
    const quota = await consume({ ...deps, ...stores }, CHECKS, `verify ${slug}`);
    return [{ slug, host, proof: standing.proof }, quota];
  });
}

/**
 * Looks for the proof on a publisher's website now.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, invalid_request, rate_limited, already_handled
 */
export async function verifyPublisher(
  deps: VerifyDeps,
  caller: PersonCaller,
  slug: string,
): Promise<{ result: VerificationResult; quota: Quota }> {
  const [wanted, quota] = await takeCheck(deps, caller, slug);
  const result = await checkWebsite(deps, caller, wanted);
  if (!result) throw new ApiError('already_handled', 'The website was changed meanwhile: check the new one.');
  return { result, quota };
}
