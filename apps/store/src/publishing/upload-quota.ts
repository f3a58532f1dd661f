import { LIMITS } from '@svc/contracts';
import type { Clock, UnitOfWork } from '../platform/ambient.ts';
import { type Marks, type Quota, quotaOf, type Rate, takeFrom } from '../platform/rate.ts';
import type { Caller } from '../tokens/caller.ts';

const { perDeveloper, windowMs } = LIMITS.uploads;
const UPLOADS: Rate = { what: 'uploads', limit: perDeveloper, windowMs };

/**
 * Counts an upload against the quota of its developer, whatever comes of it: what fails costs the store as much. Automation
 * uses none of its quota.
 * @returns what is left
 * @throws Refusal rate_limited, with the seconds to wait
 */
export async function takeUpload(
  { unitOfWork, clock }: { unitOfWork: UnitOfWork<{ marks: Marks }>; clock: Clock },
  caller: Caller,
): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(({ marks }) => takeFrom({ marks, clock }, UPLOADS, `upload ${caller.name}`));
}
