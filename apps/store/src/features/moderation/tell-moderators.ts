import { type PostDeps, type PostStores, postMail } from '../../domain/mail/post-mail.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { count, type Rate, remaining } from '../../platform/rate.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { createBacklogStore } from '../operations/backlog-store.ts';

/** How often moderators get a mail about what waits. */
const MAILS: Rate = { what: 'mails to moderators', limit: 1, windowMs: 24 * 60 * 60_000 };
const SUBJECT = 'mail to moderators';

/** Recipients of each role. */
const MOST = 100;

export type TellDeps = PostDeps & {
  backlog: Pick<ReturnType<typeof createBacklogStore>, 'read'>;
  policy: { reviewMs: number };
  unitOfWork: UnitOfWork<PostStores & Pick<Parts, 'people'>>;
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
    const rates = { ...deps, rateLimits: stores.rateLimits };
    if ((await remaining(rates, MAILS, SUBJECT)) === 0) return;
    await count(rates, MAILS, SUBJECT);
    for (const role of ['moderator', 'administrator'] as const) {
      const found = await stores.people.search({ role, suspended: false, after: null, limit: MOST });
      for (const { email, emailVerified } of found.rows.slice(0, MOST)) {
        if (email === null || !emailVerified) continue;
        await postMail(deps, stores, email, { kind: 'reviews-waiting', detail: { waiting, overdue } });
      }
    }
  });
}
