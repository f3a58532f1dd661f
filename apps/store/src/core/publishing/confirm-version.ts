import type { VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { requireChange } from '../domain/versions/changes.ts';
import { leaseFrom, type VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import { type CheckDeps, routeAgain, type SignDeps, signVersion } from './check-version.ts';

export type ConfirmDeps = CheckDeps & Omit<SignDeps, 'unitOfWork'>;

/**
 * Confirms a version that waits for a member of its publisher. It is compared again, with what is published by now, and is published, or
 * waits for a moderator.
 * @param sha256 the hash that the member saw
 * @throws ApiError not_found, not_a_member, publisher_suspended, app_suspended, already_handled
 */
export async function confirmVersion(
  deps: ConfirmDeps,
  caller: PersonCaller,
  ref: VersionRef,
  sha256: string,
): Promise<VersionStatus> {
  const confirmed = await deps.unitOfWork(async (stores) => {
    const record = await requireVersion(stores.versions, ref);
    const { publisher } = record;
    const at = deps.clock().toISOString();
    const mover = await requireChange(stores, 'confirmVersion', caller, record, at);
    const verdict = await routeAgain(stores, deps.policy, record);
    const isConfirmed = record.sha256 === sha256 && (await stores.versions.confirm(ref, verdict, mover));
    if (!isConfirmed)
      throw new ApiError(
        'already_handled',
        'This version waits for no confirmation, or is not the one that you saw: reload the page.',
        { status: record.state },
      );
    const detail = { sha256 };
    await stores.audit.add(caller, at, { action: 'version.confirm', ...ref, publisher, detail });
    if (verdict.reasons.length === 0) {
      const step = { from: 'in_review', to: 'approved' } as const;
      await stores.versions.move(ref, step, { lease: leaseFrom(deps) }, mover);
    }
    return requireVersion(stores.versions, ref);
  });
  // The signature is of its own: when it fails, the version stays approved, and is signed later.
  return statusOf(await signVersion(deps, confirmed));
}
