import type { VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { takeBack } from '../domain/decisions/record-decision.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import type { PostDeps } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import { requireChange } from '../domain/versions/changes.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { RevocationListing } from './revocation-list.ts';

export type UndoDeps = ChangeParts &
  Pick<Parts, 'hooks'> & { revocationList: Pick<RevocationListing, 'renew'> };

/**
 * Publishes a yanked version again, in a transaction. Renew the revocation list after it.
 * @throws ApiError not_found, already_handled
 */
export async function unyank(
  deps: PostDeps & Pick<Parts, 'hooks'>,
  stores: Stores,
  caller: Caller,
  ref: VersionRef,
  { reason, at }: { reason: string; at: string },
): Promise<VersionStatus> {
  const { versions, listings, audit } = stores;
  const record = await requireVersion(versions, ref);
  const actor = await requireChange(stores, 'unyank', caller, record, at);
  if (!(await versions.move(ref, { from: 'yanked', to: 'published' }, { notes: reason }, actor))) {
    throw new ApiError(
      'already_handled',
      `Only the yank of a yanked version can be undone: this one is ${record.state}.`,
      { status: record.state },
    );
  }
  await listInCatalog({ versions, listings }, ref.appId);
  const { publisher } = record;
  await audit.add(caller, at, { action: 'version.unyank', ...ref, publisher, detail: { reason } });
  await takeBack(deps, stores, caller, { kind: 'version-yanked', publisher, ...ref }, { note: reason, at });
  return { ...statusOf(record), status: 'published', notes: reason };
}

/**
 * Undoes a yank: publishes the version again with its existing signature, lists it, and removes it from the revocation list.
 * @param reason recorded, and shown with the version's status
 * @throws ApiError not_found, already_handled
 */
export async function undoYank(
  deps: UndoDeps,
  caller: Caller,
  ref: VersionRef,
  reason: string,
): Promise<VersionStatus> {
  const at = deps.clock().toISOString();
  const status = await deps.unitOfWork((stores) => unyank(deps, stores, caller, ref, { reason, at }));
  await deps.revocationList.renew();
  return status;
}
