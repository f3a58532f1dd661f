import { LIMITS } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import type { Clock, UnitOfWork } from '../platform/ambient.ts';
import type { Marks } from '../platform/marks.ts';
import { count, type Quota, quotaLeft, quotaOf, type Rate, takeFrom } from '../platform/rate.ts';

const { perDeveloper, windowMs } = LIMITS.uploads;
const UPLOADS: Rate = { what: 'uploads', limit: perDeveloper, windowMs };

type QuotaDeps = { unitOfWork: UnitOfWork<{ marks: Marks }>; clock: Clock };

const subjectOf = (caller: Caller): string => `upload ${caller.name}`;

/**
 * Counts an upload against the quota of its developer, whatever comes of it: what fails costs the store as much. Automation
 * uses none of its quota.
 * @returns what is left
 * @throws Refusal rate_limited, with the seconds to wait
 */
export async function takeUpload({ unitOfWork, clock }: QuotaDeps, caller: Caller): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf(UPLOADS, [], clock());
  return unitOfWork(({ marks }) => takeFrom({ marks, clock }, UPLOADS, subjectOf(caller)));
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
  return unitOfWork(async ({ marks }) => {
    for (let n = 0; n < uploads; n += 1) await count({ marks, clock }, UPLOADS, subjectOf(caller));
    return quotaLeft({ marks, clock }, UPLOADS, subjectOf(caller));
  });
}
