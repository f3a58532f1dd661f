import type { VerificationResult } from '@svc/contracts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type CheckDeps, type CheckStores, checkWebsite, type ExpectedProof } from './check-website.ts';
import { type OwnerStores, requireOwned } from './owner.ts';
import { hostOf } from './proof.ts';

/** Checks that a publisher can request: each makes the store contact a server of the publisher's choice. */
const CHECKS: Rate = { what: 'checks of one website', name: 'checks', limit: 10, windowMs: 60 * 60_000 };

export type VerifyDeps = Omit<CheckDeps, 'unitOfWork'> & {
  unitOfWork: UnitOfWork<CheckStores & OwnerStores & { rateLimits: RateLimitStore }>;
};

async function consumeCheck(
  deps: VerifyDeps,
  caller: PersonCaller,
  slug: string,
): Promise<[ExpectedProof, Quota]> {
  return deps.unitOfWork(async (stores) => {
    const publisher = await requireOwned(stores, caller, slug, 'verifyPublisher');
    const host = hostOf(publisher.website);
    const verification = await stores.publishers.verificationStatus(slug);
    if (host === null || !verification) {
      throw new ApiError('invalid_request', 'The publisher has no website to verify: add one first.');
    }
    const quota = await consume({ ...deps, ...stores }, CHECKS, `verify ${slug}`);
    return [{ slug, host, proof: verification.proof }, quota];
  });
}

/**
 * Checks the website of a publisher now.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, invalid_request, rate_limited, already_handled
 */
export async function verifyPublisher(
  deps: VerifyDeps,
  caller: PersonCaller,
  slug: string,
): Promise<{ result: VerificationResult; quota: Quota }> {
  const [expected, quota] = await consumeCheck(deps, caller, slug);
  const result = await checkWebsite(deps, caller, expected);
  if (!result)
    throw new ApiError('already_handled', 'The website has changed in the meantime: check it again.');
  return { result, quota };
}
