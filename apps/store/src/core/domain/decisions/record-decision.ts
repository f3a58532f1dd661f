import { type DecisionKind, OTHER_RULE } from '@svc/contracts';
import { invalidField } from '../../../platform/api-error.ts';
import type { Caller } from '../identity/caller.ts';
import { type NotifyStores, notifyMembers, type PostDeps } from '../mail/post-mail.ts';
import type { DecisionStore, StoredDecision } from './decision-store.ts';

/** The decisions that are taken back; without an id, all of this kind. */
export type Taken = Pick<StoredDecision, 'kind' | 'publisher'> &
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

/** What a publisher reads where no reason was given. */
const TAKEN_BACK = 'The store took the decision back.';

/** What the core asks its extensions when a decision is taken back. */
type EndHooks<Stores> = {
  hooks: {
    decisionEnded(
      stores: Stores,
      caller: Caller,
      taken: Taken,
      end: { note: string; at: string },
    ): Promise<void>;
  };
};

/**
 * Tells the members of a publisher, and the extensions, that a decision is taken back. Call it in the transaction of what takes it back.
 * @param note what the publisher reads as the reason
 */
export async function takeBack<Stores extends NotifyStores>(
  deps: PostDeps & EndHooks<Stores>,
  stores: Stores,
  caller: Caller,
  taken: Taken,
  { note = TAKEN_BACK, at }: { note?: string | undefined; at: string },
): Promise<void> {
  const { kind, publisher, appId = null, version = null } = taken;
  // An emergency has a mail of its own.
  if (kind !== 'emergency') {
    const detail = { act: kind, publisher, appId, version, reason: note };
    await notifyMembers(deps, stores, publisher, { kind: 'decision-undone', detail });
  }
  await deps.hooks.decisionEnded(stores, caller, taken, { note, at });
}
