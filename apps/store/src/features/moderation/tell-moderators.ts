import { isFirstToday, notifyRole } from '../../domain/mail/post-mail.ts';
import type { ChangeParts } from '../../domain/parts/parts.ts';
import type { createBacklogStore } from '../operations/backlog-store.ts';

export type TellDeps = ChangeParts & {
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
