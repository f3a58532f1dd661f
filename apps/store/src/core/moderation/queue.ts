import { LIMITS, type ModerationQueue, type QueueEntry, type QueueQuery } from '@svc/contracts';
import { permissionDiff as diffToNothing, footprintOf } from '@svc/permissions';
import { z } from 'zod';
import { readCursor, writeCursor } from '../../platform/page-of.ts';
import type { Clock } from '../../platform/system.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { isFirstToday, notifyRole } from '../domain/mail/post-mail.ts';
import type { ChangeParts } from '../domain/parts/parts.ts';
import { dueAt, liveLock, type ReviewPeriod } from '../domain/versions/review-clock.ts';
import type { QueueFilter, QueueKey, Waiting } from '../domain/versions/review-queue.ts';
import type { ReviewStore } from '../domain/versions/review-store.ts';
import type { createBacklogStore } from '../operations/backlog-store.ts';

type TellDeps = ChangeParts & {
  backlog: Pick<ReturnType<typeof createBacklogStore>, 'read'>;
  policy: { reviewMs: number };
};

/** Queues a mail to the moderators and administrators when versions wait for a decision, at most once a day. */
export async function tellModerators(deps: TellDeps): Promise<void> {
  const now = deps.clock();
  const dueBefore = new Date(now.getTime() - deps.policy.reviewMs).toISOString();
  const { waiting, overdue, changesRequested } = (
    await deps.backlog.read({ now: now.toISOString(), dueBefore })
  ).queue;
  if (waiting - changesRequested <= 0) return;
  await deps.unitOfWork(async (stores) => {
    if (!(await isFirstToday(deps, stores, 'mail to moderators'))) return;
    for (const role of ['moderator', 'administrator'] as const)
      await notifyRole(deps, stores, role, { kind: 'reviews-waiting', detail: { waiting, overdue } });
  });
}

const Cursor = z.tuple([z.boolean(), z.string(), z.string(), z.string()]);

function readKey(cursor: string): QueueKey {
  const [superseded, submittedAt, appId, version] = readCursor(Cursor, cursor);
  return { superseded, submittedAt, appId, version };
}

function filterOf(policy: ReviewPeriod, me: string, query: QueueQuery, now: Date): QueueFilter {
  const { overdue, lockedBy, assigned, reason } = query;
  // A version that is due exactly now is not overdue yet.
  const moment = new Date(now.getTime() - policy.reviewMs).toISOString();
  return {
    reason: reason === 'flagged' ? 'flagged:' : (reason ?? null),
    soleReason: query.soleReason ?? null,
    publisher: query.publisher ?? null,
    appId: query.appId ?? null,
    superseded: query.superseded ?? null,
    changesRequested: query.changesRequested ?? null,
    submitted: overdue === undefined ? null : { before: overdue, moment },
    lock: lockedBy === undefined ? null : { held: lockedBy, me, now: now.toISOString() },
    assigned: assigned === undefined ? null : { to: assigned, me },
  };
}

/** The permissions that a version adds to the previous one; all of its permissions when its check failed before the comparison. */
const diffOf = ({ permissionDiff, manifest }: Waiting) => {
  if (permissionDiff) return permissionDiff;
  if (manifest) return diffToNothing(null, footprintOf(manifest));
  throw new Error('A version in review has neither a permission diff nor a manifest.');
};

const queueEntry = (policy: ReviewPeriod, waiting: Waiting, now: string): QueueEntry => ({
  appId: waiting.appId,
  version: waiting.version,
  name: waiting.name,
  publisher: waiting.publisher,
  submittedAt: waiting.submittedAt,
  dueAt: dueAt(policy, waiting.submittedAt),
  position: waiting.position,
  lock: liveLock(waiting.lock, now),
  changesRequestedAt: waiting.changesRequestedAt,
  assignedTo: waiting.assignedTo,
  reasons: waiting.reasons,
  superseded: waiting.superseded,
  issues: waiting.issues,
  permissionDiff: diffOf(waiting),
  sha256: waiting.sha256,
  size: waiting.size,
});

/**
 * Reads one page of the versions in review: oldest first, those that a newer upload supersedes last.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function reviewQueue(
  deps: { reviews: ReviewStore; policy: ReviewPeriod; clock: Clock },
  moderator: Caller,
  query: QueueQuery,
): Promise<ModerationQueue> {
  const now = deps.clock();
  const { entries, total, end } = await deps.reviews.page(
    filterOf(deps.policy, moderator.name, query, now),
    query.limit ?? LIMITS.moderation.defaultPage,
    query.cursor === undefined ? null : readKey(query.cursor),
  );
  return {
    entries: entries.map((waiting) => queueEntry(deps.policy, waiting, now.toISOString())),
    nextCursor: end && writeCursor([end.superseded, end.submittedAt, end.appId, end.version]),
    total,
  };
}
