import type { Approval, CannedReason, Manifest, Rejection, VersionStatus } from '@svc/contracts';
import { recordDecision } from '../../domain/decisions/record-decision.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { requireUnsuspended } from '../../domain/identity/suspension.ts';
import type { MailContent } from '../../domain/mail/mail-store.ts';
import { notifyMembers } from '../../domain/mail/post-mail.ts';
import type { ChangeParts } from '../../domain/parts/parts.ts';
import { missingRequirements, type RequirementStores } from '../../domain/versions/missing-requirements.ts';
import {
  type LeaseDeps,
  leaseFrom,
  type VersionRecord,
  type VersionRef,
} from '../../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../../domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';
import { type SignDeps, signVersion } from '../publishing/sign-version.ts';
import { rejectionNotes } from './canned-reasons.ts';
import { type IndependencePolicy, requireIndependent } from './independence.ts';
import { requireNoLockOfOthers, requireWaiting } from './lock-review.ts';

type Verdict = {
  to: 'approved' | 'rejected';
  notes: string;
  override: boolean;
  rule?: string | undefined;
  suggested?: string | undefined;
};

export type DecideDeps = ChangeParts & LeaseDeps & { policy: IndependencePolicy };

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

/**
 * Decides on a version in review. The first decision wins; a second one fails with `already_handled`. The lock is checked in the
 * transaction of the decision, so that none can be taken in between.
 */
async function decide(
  deps: DecideDeps,
  moderator: Caller,
  ref: VersionRef,
  { to, notes, override, rule, suggested }: Verdict,
): Promise<VersionRecord> {
  return deps.unitOfWork(async (stores) => {
    const at = deps.clock().toISOString();
    const record = await requireVersion(stores.versions, ref);
    await requireUnsuspended(stores, to === 'approved' ? 'approve' : 'reject', record);
    if (override) await requireWaiting(stores, ref);
    else await requireNoLockOfOthers(stores, moderator, ref, at);
    const { publisher, manifest } = record;
    if (to === 'approved') {
      await requireIndependent({ ...deps, ...stores }, moderator, record);
      await requireRequirements(stores, manifest);
    }
    // The lease is for signing, which follows an approval.
    const change = { notes, ...(to === 'approved' && { lease: leaseFrom(deps) }) };
    if (!(await stores.versions.move(ref, { from: 'in_review', to }, change, { by: moderator.name, at }))) {
      throw new Error('The state of a version changed in the transaction of a decision.');
    }
    const about = { kind: 'version-rejected', publisher, ...ref, rule, suggested, note: notes } as const;
    const cited = to === 'rejected' && (await recordDecision(deps, stores, moderator, at, about));
    const detail = { note: notes, ...(override && { override }), ...cited };
    await stores.audit.add(moderator, at, { action: ACTIONS[to], ...ref, publisher, detail });
    await notifyMembers(deps, stores, publisher, outcomeOf(to, { ...ref, publisher }, notes, cited || {}));
    return { ...record, notes, state: to };
  });
}

/**
 * Approves a version in review, which signs and publishes it.
 * @throws ApiError not_found, already_handled, locked; forbidden for a moderator who is not independent; validation_failed while
 *   a required app is not published
 */
export async function approve(
  deps: DecideDeps & SignDeps,
  moderator: Caller,
  ref: VersionRef,
  { note = '', override = false }: Approval,
): Promise<VersionStatus> {
  const approved = await decide(deps, moderator, ref, { to: 'approved', notes: note, override });
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
