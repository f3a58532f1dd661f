import type { AppealOutcome } from '@svc/contracts';
import type { Taken } from '../../core/domain/decisions/record-decision.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import { notifyMembers, type PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { Stores as CoreStores } from '../../core/domain/parts/parts.ts';
import type { AppealedDecision, AppealStore } from './appeal-store.ts';

type Stores = CoreStores & { appeals: AppealStore };

/** What an audit event names of a decision. */
export const aboutOf = ({ publisher, appId, version }: AppealedDecision) => ({
  publisher,
  ...(appId !== null && { appId }),
  ...(version !== null && { version }),
});

/** Answers an open appeal, and tells the members of the publisher. Call it in a transaction. @returns false when it is not open */
export async function closeAppeal(
  deps: PostDeps,
  stores: Stores,
  caller: Caller,
  decision: AppealedDecision,
  { at, ...answer }: { outcome: AppealOutcome; note: string; at: string },
): Promise<boolean> {
  const { id, publisher } = decision;
  if (!(await stores.appeals.closeAppeal(id, { ...answer, by: caller.name, at }))) return false;
  const detail = { decision: id, ...answer };
  await stores.audit.add(caller, at, { action: 'appeal.decide', ...aboutOf(decision), detail });
  await notifyMembers(deps, stores, publisher, { kind: 'appeal-decided', detail: { publisher, ...answer } });
  return true;
}

/** Ends the appeals of a decision that is taken back before one of them is decided: reversing it would fail. */
export async function endAppeals(
  deps: PostDeps,
  stores: Stores,
  caller: Caller,
  { id, kind, publisher, appId = null, version = null }: Taken,
  { note, at }: { note: string; at: string },
): Promise<void> {
  const open = await stores.appeals.openAppealsOf(publisher);
  const ended = open.filter(
    (one) =>
      one.kind === kind &&
      one.appId === appId &&
      one.version === version &&
      (id === undefined || one.id === id),
  );
  for (const decision of ended)
    await closeAppeal(deps, stores, caller, decision, { outcome: 'reversed', note, at });
}
