import { LIMITS } from '@svc/contracts';
import type { Caller } from '../../domain/identity/caller.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import { consume, count, currentQuota, type Quota, quotaOf, type Rate } from '../../platform/rate.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';

const { perDeveloper, windowMs } = LIMITS.uploads;
const UPLOADS: Rate = { what: 'uploads', limit: perDeveloper, windowMs };

type QuotaDeps = { unitOfWork: UnitOfWork<{ rateLimits: RateLimitStore }>; clock: Clock };

const subjectOf = (caller: Caller): string => `upload ${caller.name}`;

/**
 * Counts an upload against the quota of its developer, whether it succeeds or not. Automation has no quota.
 * @returns the remaining quota
 * @throws ApiError rate_limited, with the seconds to wait
 */
export async function consumeUploadQuota({ unitOfWork, clock }: QuotaDeps, caller: Caller): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(({ rateLimits }) => consume({ rateLimits, clock }, UPLOADS, subjectOf(caller)));
}

/**
 * Counts an expensive upload as several.
 * @param uploads how many to count in addition to the first
 * @returns the remaining quota
 */
export async function countUploads(
  { unitOfWork, clock }: QuotaDeps,
  caller: Caller,
  uploads: number,
): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(async ({ rateLimits }) => {
    for (let n = 0; n < uploads; n += 1) await count({ rateLimits, clock }, UPLOADS, subjectOf(caller));
    return currentQuota({ rateLimits, clock }, UPLOADS, subjectOf(caller));
  });
}
