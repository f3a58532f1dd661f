import { type AppealOutcome, type DecisionKind, OTHER_RULE } from '@svc/contracts';
import { invalidField } from '../../platform/api-error.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../identity/caller.ts';
import { mailUser, type NotifyStores, notifyMembers, type PostDeps } from '../mail/post-mail.ts';
import type { DecisionStore, StoredDecision } from './decision-store.ts';
import type { ReportStore } from './report-store.ts';

/** The decisions that are taken back; without an id, all of this kind. */
type Taken = Pick<StoredDecision, 'kind' | 'publisher'> &
  Partial<Pick<StoredDecision, 'id' | 'appId' | 'version'>>;

/** What a decision is about, and the rule that it cites. */
type About = {
  kind: DecisionKind;
  publisher: string;
  appId?: string;
  version?: string;
  /** The rule that the caller names. */
  rule?: string | undefined;
  /** The rule that the reason of the store cites, where the policy has it. Without either, the rule for other reasons. */
  suggested?: string | undefined;
  note: string;
};

/**
 * Records a decision against a publisher, which it can appeal. Call it in the transaction of the decision.
 * @returns what the audit log says of it
 * @throws ApiError invalid_request when the policy has no such rule
 */
export async function recordDecision(
  { newId }: { newId(): string },
  { decisions }: { decisions: Pick<DecisionStore, 'policy' | 'add'> },
  caller: Caller,
  at: string,
  { kind, publisher, appId, version, rule: named, suggested, note }: About,
): Promise<{ rule: string; policy: number; decision: string }> {
  const policy = await decisions.policy();
  const has = (rule: string | undefined) => policy?.rules.some(({ id }) => id === rule);
  const rule = named ?? (suggested !== undefined && has(suggested) ? suggested : OTHER_RULE);
  if (!policy || !has(rule)) {
    const ids = policy?.rules.map(({ id }) => id).join(', ');
    throw invalidField('rule', `must be the id of a rule of the policy: ${ids}`);
  }
  const id = newId();
  const about = { kind, publisher, appId: appId ?? null, version: version ?? null };
  await decisions.add({
    id,
    ...about,
    rule,
    policy: policy.version,
    note,
    decidedBy: caller.name,
    decidedAt: at,
  });
  return { rule, policy: policy.version, decision: id };
}

/** What an audit event names of a decision. */
export const aboutOf = ({ publisher, appId, version }: StoredDecision) => ({
  publisher,
  ...(appId !== null && { appId }),
  ...(version !== null && { version }),
});

type AppealStores = NotifyStores & {
  decisions: Pick<DecisionStore, 'openAppealsOf' | 'closeAppeal'>;
  audit: Pick<AuditLog, 'add'>;
};

/** Tells the users whose reports were upheld that what was decided on them is undone. Call it in its transaction. */
export async function tellReporters(
  deps: PostDeps,
  stores: NotifyStores & { reports: Pick<ReportStore, 'upheldBy'> },
  { publisher, appId = null, version = null }: Taken,
  reason: string,
): Promise<void> {
  const reported = await stores.reports.upheldBy({ publisher, appId, version });
  const people = await stores.people.findAll([...new Set(reported.map(({ personId }) => personId))]);
  const byId = new Map(people.map((person) => [person.id, person]));
  for (const { personId, ...ref } of reported) {
    const person = byId.get(personId);
    if (person) await mailUser(deps, stores, person, { kind: 'report-undone', detail: { ...ref, reason } });
  }
}

/** Answers an open appeal, and tells the members of the publisher. Call it in a transaction. @returns false when it is not open */
export async function closeAppeal(
  deps: PostDeps,
  stores: AppealStores,
  caller: Caller,
  decision: StoredDecision,
  { at, ...answer }: { outcome: AppealOutcome; note: string; at: string },
): Promise<boolean> {
  const { id, publisher } = decision;
  if (!(await stores.decisions.closeAppeal(id, { ...answer, by: caller.name, at }))) return false;
  const detail = { decision: id, ...answer };
  await stores.audit.add(caller, at, { action: 'appeal.decide', ...aboutOf(decision), detail });
  await notifyMembers(deps, stores, publisher, { kind: 'appeal-decided', detail: { publisher, ...answer } });
  return true;
}

/** What a publisher reads where no reason was given. */
const TAKEN_BACK = 'The store took the decision back.';

/**
 * Ends the appeals of a decision that is taken back before one of them is decided: reversing it would fail. Call it in the transaction of
 * what takes it back.
 * @param note what the publisher reads as the answer
 */
export async function takeBack(
  deps: PostDeps,
  stores: AppealStores & { reports: Pick<ReportStore, 'upheldBy'> },
  caller: Caller,
  taken: Taken,
  { note = TAKEN_BACK, at }: { note?: string | undefined; at: string },
): Promise<void> {
  const { id, kind, publisher, appId = null, version = null } = taken;
  const open = await stores.decisions.openAppealsOf(publisher);
  const ended = open.filter(
    (one) =>
      one.kind === kind &&
      one.appId === appId &&
      one.version === version &&
      (id === undefined || one.id === id),
  );
  for (const decision of ended)
    await closeAppeal(deps, stores, caller, decision, { outcome: 'reversed', note, at });
  // An emergency has a mail of its own.
  if (kind !== 'emergency') {
    const detail = { act: kind, publisher, appId, version, reason: note };
    await notifyMembers(deps, stores, publisher, { kind: 'decision-undone', detail });
  }
  await tellReporters(deps, stores, taken, note);
}
