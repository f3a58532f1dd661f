import type { VersionStatus } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { type Caller, requireApp, requireMember, requireScope } from '../domain/identity/caller.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

/** What its status says of a version that its publisher took back; `retracted` tells it from one that a moderator refused. */
const NOTE = 'withdrawn';

export type WithdrawDeps = {
  unitOfWork: UnitOfWork<{ versions: VersionStore; audit: AuditLog }>;
  clock: Clock;
};

/**
 * Takes a version back that waits for a person. Its number counts as uploaded all the same.
 * @throws ApiError not_found, not_a_member, already_handled
 */
export async function withdrawVersion(
  deps: WithdrawDeps,
  caller: Caller,
  ref: VersionRef,
): Promise<VersionStatus> {
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async ({ versions, audit }) => {
    const record = await requireVersion(versions, ref);
    const { publisher } = record;
    requireMember(caller, publisher);
    requireApp(caller, ref.appId);
    requireScope(caller, 'publish:new', 'publish:update');
    const step = { from: 'in_review', to: 'rejected' } as const;
    if (!(await versions.move(ref, step, { notes: NOTE, retracted: true }, { by: caller.name, at }))) {
      throw new ApiError(
        'already_handled',
        `This version is ${record.state}: only one that is in review can be withdrawn.`,
        { status: record.state },
      );
    }
    await audit.add(caller, at, { action: 'version.withdraw', ...ref, publisher });
    return statusOf(await requireVersion(versions, ref));
  });
}
