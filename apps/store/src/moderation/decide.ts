import type { VersionStatus } from '@svc/contracts';
import { Refusal } from '../platform/refusal.ts';
import { type LeaseDeps, leaseFrom } from '../publishing/lease.ts';
import { type SignDeps, signVersion } from '../publishing/sign-version.ts';
import { requireVersion, statusOf } from '../publishing/version-status.ts';
import type { VersionRef, VersionStore } from '../publishing/version-store.ts';
import type { Caller } from '../tokens/caller.ts';

export type DecideDeps = LeaseDeps & { versions: VersionStore };

type Decision = { to: 'approved' | 'rejected'; notes: string };

/** The first decision counts; whoever comes second learns how the version stands. */
async function decide(
  deps: DecideDeps,
  moderator: Caller,
  ref: VersionRef,
  { to, notes }: Decision,
): Promise<void> {
  const mover = { by: moderator.name, at: deps.clock().toISOString() };
  await requireVersion(deps.versions, ref);
  // Whoever approves goes on to sign.
  const change = { notes, ...(to === 'approved' && { lease: leaseFrom(deps) }) };
  if (await deps.versions.move(ref, { from: 'in_review', to }, change, mover)) return;
  const { state: status } = await requireVersion(deps.versions, ref);
  throw new Refusal(
    'already_handled',
    `This version is ${status}: only one that is in review can be decided.`,
    {
      status,
    },
  );
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
