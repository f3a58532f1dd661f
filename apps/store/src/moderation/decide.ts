import type { VersionStatus } from '@svc/contracts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { UnitOfWork } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { type LeaseDeps, leaseFrom } from '../publishing/lease.ts';
import { type SignDeps, signVersion } from '../publishing/sign-version.ts';
import { requireVersion, statusOf } from '../publishing/version-status.ts';
import type { VersionRef, VersionStore } from '../publishing/version-store.ts';
import type { Caller } from '../tokens/caller.ts';

type Decision = { to: 'approved' | 'rejected'; notes: string };

export type DecideDeps = LeaseDeps & {
  unitOfWork: UnitOfWork<{ versions: VersionStore; audit: AuditLog }>;
  versions: VersionStore;
};

const ACTIONS = { approved: 'version.approve', rejected: 'version.reject' } as const;

/** The first decision counts; whoever comes second learns how the version stands. */
async function decide(
  deps: DecideDeps,
  moderator: Caller,
  ref: VersionRef,
  { to, notes }: Decision,
): Promise<void> {
  const at = deps.clock().toISOString();
  // Whoever approves goes on to sign.
  const change = { notes, ...(to === 'approved' && { lease: leaseFrom(deps) }) };
  await deps.unitOfWork(async ({ versions, audit }) => {
    const { state: status, publisher } = await requireVersion(versions, ref);
    if (!(await versions.move(ref, { from: 'in_review', to }, change, { by: moderator.name, at }))) {
      throw new Refusal(
        'already_handled',
        `This version is ${status}: only one that is in review can be decided.`,
        { status },
      );
    }
    await audit.add(moderator, at, { action: ACTIONS[to], ...ref, publisher, detail: { note: notes } });
  });
}

/**
 * Lets a version in review be signed and published.
 * @throws Refusal not_found, already_handled
 */
export async function approve(
  deps: DecideDeps & SignDeps,
  moderator: Caller,
  ref: VersionRef,
  note: string | undefined,
): Promise<VersionStatus> {
  await decide(deps, moderator, ref, { to: 'approved', notes: note ?? '' });
  await signVersion(deps, ref);
  return statusOf(await requireVersion(deps.versions, ref));
}

/**
 * Refuses a version in review.
 * @param note what the developer must change
 * @throws Refusal not_found, already_handled
 */
export async function reject(
  deps: DecideDeps,
  moderator: Caller,
  ref: VersionRef,
  note: string,
): Promise<VersionStatus> {
  await decide(deps, moderator, ref, { to: 'rejected', notes: note });
  return statusOf(await requireVersion(deps.versions, ref));
}
