import type { Caller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { consume, count, currentQuota, type Quota, quotaOf } from '../../platform/rate.ts';

export type QuotaDeps = Pick<Parts, 'unitOfWork' | 'clock'> & {
  /** The quota of each developer. */
  uploadQuota: { uploads: number; minutes: number };
};

/** Uses the quota of a developer. Automation has none. */
async function within(
  { unitOfWork, uploadQuota, clock }: QuotaDeps,
  caller: Caller,
  use: typeof consume,
): Promise<Quota> {
  const rate = { what: 'uploads', limit: uploadQuota.uploads, windowMs: uploadQuota.minutes * 60_000 };
  if (caller.kind === 'automation') return quotaOf(rate, [], clock());
  return unitOfWork(({ rateLimits }) => use({ rateLimits, clock }, rate, `upload ${caller.name}`));
}

/**
 * Counts an upload against the quota of its developer, whether it succeeds or not.
 * @returns the remaining quota
 * @throws ApiError rate_limited, with the seconds to wait
 */
export const consumeUploadQuota = (deps: QuotaDeps, caller: Caller): Promise<Quota> =>
  within(deps, caller, consume);

/**
 * Counts an expensive upload as several.
 * @param uploads how many to count in addition to the first
 * @returns the remaining quota
 */
export const countUploads = (deps: QuotaDeps, caller: Caller, uploads: number): Promise<Quota> =>
  within(deps, caller, async (...of) => {
    for (let n = 0; n < uploads; n += 1) await count(...of);
    return currentQuota(...of);
  });
