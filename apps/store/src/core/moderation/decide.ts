import type { Approval, CannedReason, Manifest, Rejection, VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { IndependencePolicy } from '../domain/decisions/independent.ts';
import { recordDecision } from '../domain/decisions/record-decision.ts';
import { decideByTwo, type TwoPersonsPolicy } from '../domain/decisions/two-persons.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { missingRequirements, type RequirementStores } from '../domain/listings/store-warnings.ts';
import type { MailContent } from '../domain/mail/mail-store.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Parts } from '../domain/parts/parts.ts';
import { firstOfTwo, type Mover, requireChange } from '../domain/versions/changes.ts';
import {
  type LeaseDeps,
  leaseFrom,
  type VersionRecord,
  type VersionRef,
} from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import { type SignDeps, signVersion } from '../publishing/check-version.ts';
import { rejectionNotes } from './canned-reasons.ts';
import { requireNoLockOfOthers, requireWaiting } from './lock-review.ts';

type Verdict = {
  to: 'approved' | 'rejected';
  notes: string;
  override: boolean;
  rule?: string | undefined;
  suggested?: string | undefined;
  /** When the tools that the moderator saw were recorded; null without tools, undefined for those that are recorded now. */
  seen?: string | null | undefined;
};

export type DecideDeps = ChangeParts &
  Pick<Parts, 'hooks'> &
  LeaseDeps & { policy: IndependencePolicy & TwoPersonsPolicy };

const ACTIONS = { approved: 'version.approve', rejected: 'version.reject' } as const;

const outcomeOf = (
  to: Verdict['to'],
  { appId, version, publisher }: VersionRef & { publisher: string },
  note: string,
  cited: { rule?: string; policy?: number },
): MailContent =>
  to === 'approved'
    ? { kind: 'version-approved', detail: { publisher, appId, version } }
    : { kind: 'version-rejected', detail: { publisher, appId, version, note, ...cited } };

/**
 * Refuses a version that requires an unpublished app. Users who have the app get an approved update immediately, and could not
 * install what it requires.
 * @throws ApiError validation_failed
 */
async function requireRequirements(stores: RequirementStores, manifest: Manifest): Promise<void> {
  const issues = await missingRequirements(stores, manifest);
  if (issues.length === 0) return;
  throw new ApiError(
    'validation_failed',
    'An app that this version requires is not published in this store. Publish that app first, or reject this version.',
    { issues },
  );
}

/** The tools that are approved with a version: of two persons, both must have named those that they saw. */
const seenByAll = (mover: Mover, seen: Verdict['seen']): Verdict['seen'] =>
  mover.first === undefined ? seen : (seen ?? null);

/**
 * Decides on a version in review. The first decision wins; a second one fails with `already_handled`. The lock is checked in the
 * transaction of the decision, so that none can be taken in between. An approval that needs two persons leaves the version in review at
 * the first.
 */
async function decide(
  deps: DecideDeps,
  moderator: Caller,
  ref: VersionRef,
  { to, notes, override, rule, suggested, seen }: Verdict,
): Promise<VersionRecord> {
  return deps.unitOfWork(async (stores) => {
    const at = deps.clock().toISOString();
    const record = await requireVersion(stores.versions, ref);
    const change = to === 'approved' ? 'approve' : 'reject';
    const allowed = await requireChange(stores, change, moderator, record, at);
    if (override) await requireWaiting(stores, ref);
    else await requireNoLockOfOthers(stores, moderator, ref, at);
    const { publisher } = record;
    if (to === 'approved') await requireRequirements(stores, record.manifest);
    const two = { act: 'approve', of: seen ?? '', note: notes } as const;
    const mover =
      to === 'approved' ? await decideByTwo(deps, stores, moderator, record, allowed, two) : allowed;
    if (!mover) return record;
    // The lease is for signing, which follows an approval.
    const fields = { notes, ...(to === 'approved' && { lease: leaseFrom(deps) }) };
    if (!(await stores.versions.move(ref, { from: 'in_review', to }, fields, mover)))
      throw new Error('The state of a version changed in the transaction of a decision.');
    if (to === 'approved') await deps.hooks.versionApproved(stores, ref, seenByAll(mover, seen), mover);
    const about = { kind: 'version-rejected', publisher, ...ref, rule, suggested, note: notes } as const;
    const cited = to === 'rejected' && (await recordDecision(deps, stores, moderator, at, about));
    const detail = { note: notes, ...(override && { override }), ...firstOfTwo(mover), ...cited };
    await stores.audit.add(moderator, at, { action: ACTIONS[to], ...ref, publisher, detail });
    await notifyMembers(deps, stores, publisher, outcomeOf(to, { ...ref, publisher }, notes, cited || {}));
    return { ...record, notes, state: to };
  });
}

/**
 * Approves a version in review, which signs and publishes it; as the first of two where the policy demands it, which leaves it in review.
 * @throws ApiError not_found, already_handled, locked; forbidden for a moderator who is not independent; validation_failed while
 *   a required app is not published
 */
export async function approve(
  deps: DecideDeps & SignDeps,
  moderator: Caller,
  ref: VersionRef,
  { note = '', override = false, toolsRecordedAt: seen }: Approval,
): Promise<VersionStatus> {
  const approved = await decide(deps, moderator, ref, { to: 'approved', notes: note, override, seen });
  return statusOf(await signVersion(deps, approved));
}

/**
 * Rejects a version in review.
 * @throws ApiError invalid_request, not_found, already_handled, locked
 */
export async function reject(
  deps: DecideDeps & { policy: { cannedReasons: readonly CannedReason[] } },
  moderator: Caller,
  ref: VersionRef,
  { override = false, ...why }: Rejection,
): Promise<VersionStatus> {
  const { cannedReasons } = deps.policy;
  const notes = rejectionNotes(cannedReasons, why);
  const suggested = cannedReasons.find(({ id }) => id === why.reason)?.rule;
  const verdict = { to: 'rejected', notes, override, rule: why.rule, suggested } as const;
  return statusOf(await decide(deps, moderator, ref, verdict));
}
