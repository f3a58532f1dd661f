import { LIMITS } from '@svc/contracts';
import type { Clock, UnitOfWork } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Caller } from '../tokens/caller.ts';

/** What the quota needs to remember: when who uploaded. Shared by all processes over one database. */
export interface UploadMarks {
  /** Marks of a developer at or after a time, oldest first. */
  since(developer: string, from: string): Promise<string[]>;
  /** Sets a mark, and forgets those of the developer before a time. */
  add(developer: string, at: string, forgetBefore: string): Promise<void>;
}

/** How much is left of a quota; `resetSeconds` is when the oldest upload in it stops counting. */
export type Quota = { limit: number; windowSeconds: number; remaining: number; resetSeconds: number };

const { perDeveloper, windowMs } = LIMITS.uploads;

const quotaOf = (marks: readonly string[], now: Date): Quota => {
  const oldest = marks[0] === undefined ? now.getTime() : Date.parse(marks[0]);
  return {
    limit: perDeveloper,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, perDeveloper - marks.length),
    resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - now.getTime()) / 1000)),
  };
};

/**
 * Counts an upload against the quota of its developer, whatever comes of it: what fails costs the store as much. Automation
 * uses none of its quota.
 * @returns what is left
 * @throws Refusal rate_limited, with the seconds to wait
 */
export async function takeUpload(
  deps: { unitOfWork: UnitOfWork<{ uploadMarks: UploadMarks }>; clock: Clock },
  caller: Caller,
): Promise<Quota> {
  if (caller.kind === 'automation') return quotaOf([], deps.clock());
  return deps.unitOfWork(async ({ uploadMarks }) => {
    const now = deps.clock();
    const from = new Date(now.getTime() - windowMs).toISOString();
    const marks = await uploadMarks.since(caller.name, from);
    const quota = quotaOf(marks, now);
    if (quota.remaining === 0) {
      throw new Refusal(
        'rate_limited',
        `More than ${perDeveloper} uploads in ${windowMs / 60_000} minutes: try again in ${quota.resetSeconds} seconds.`,
        { retryAfter: quota.resetSeconds },
      );
    }
    await uploadMarks.add(caller.name, now.toISOString(), from);
    return quotaOf([...marks, now.toISOString()], now);
  });
}
