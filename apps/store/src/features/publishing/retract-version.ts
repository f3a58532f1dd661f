import type { VersionStatus } from '@svc/contracts';
import { type Caller, requireApp, requireMember, requireScope } from '../../domain/identity/caller.ts';
import { requireUnsuspended } from '../../domain/identity/suspension.ts';
import type { ChangeParts } from '../../domain/parts/parts.ts';
import { RETRACTED } from '../../domain/versions/states.ts';
import type { VersionRef } from '../../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../../domain/versions/version-status.ts';
import { ApiError } from '../../platform/api-error.ts';

/**
 * Retracts a version in review. Its number stays used.
 * @throws ApiError not_found, not_a_member, already_handled
 */
export async function retractVersion(
  deps: ChangeParts,
  caller: Caller,
  ref: VersionRef,
): Promise<VersionStatus> {
  const at = deps.clock().toISOString();
  return deps.unitOfWork(async (stores) => {
    const { versions, audit } = stores;
    const record = await requireVersion(versions, ref);
    const { publisher } = record;
    requireMember(caller, publisher);
    requireApp(caller, ref.appId);
    requireScope(caller, 'publish:new', 'publish:update');
    await requireUnsuspended(stores, 'retractVersion', record);
    const step = { from: 'in_review', to: 'rejected' } as const;
    if (!(await versions.move(ref, step, { notes: RETRACTED, retracted: true }, { by: caller.name, at }))) {
      throw new ApiError(
        'already_handled',
        `This version is ${record.state}: only a version in review can be retracted.`,
        { status: record.state },
      );
    }
    await audit.add(caller, at, { action: 'version.withdraw', ...ref, publisher });
    return statusOf(await requireVersion(versions, ref));
  });
}
