import { LIMITS } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import { consume, count, type Quota, quotaLeft, quotaOf, type Rate } from '../platform/rate.ts';
import type { RateLimitStore } from '../platform/rate-limit-store.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

const { perDeveloper, windowMs } = LIMITS.uploads;
const UPLOADS: Rate = { what: 'uploads', limit: perDeveloper, windowMs };

type QuotaDeps = { unitOfWork: UnitOfWork<{ rateLimits: RateLimitStore }>; clock: Clock };

const subjectOf = (caller: Caller): string => `upload ${caller.name}`;

/**
 * Counts an upload against the quota of its developer, whatever comes of it: what fails costs the store as much. Automation
 * uses none of its quota.
 * @returns what is left
 * @throws ApiError rate_limited, with the seconds to wait
 */
export async function consumeUploadQuota({ unitOfWork, clock }: QuotaDeps, caller: Caller): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(({ rateLimits }) => consume({ rateLimits, clock }, UPLOADS, subjectOf(caller)));
}

/**
 * Counts an upload that turned out to cost as much as several.
 * @param uploads how many to count beside the one that was
 * @returns what is left
 */
export async function countUploads(
  { unitOfWork, clock }: QuotaDeps,
  caller: Caller,
  uploads: number,
): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(async ({ rateLimits }) => {
    for (let n = 0; n < uploads; n += 1) await count({ rateLimits, clock }, UPLOADS, subjectOf(caller));
    return quotaLeft({ rateLimits, clock }, UPLOADS, subjectOf(caller));
  });
}
