import type { VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { IndependencePolicy } from '../domain/decisions/independent.ts';
import { takeBack } from '../domain/decisions/record-decision.ts';
import { decideByTwo, type TwoPersonsPolicy } from '../domain/decisions/two-persons.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import type { PostDeps } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import { firstOfTwo, requireChange } from '../domain/versions/changes.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { RevocationListing } from './revocation-list.ts';

export type UnyankDeps = PostDeps & Pick<Parts, 'hooks'> & { policy: IndependencePolicy & TwoPersonsPolicy };

export type UndoDeps = ChangeParts & UnyankDeps & { revocationList: Pick<RevocationListing, 'renew'> };

const notYanked = ({ state }: { state: VersionStatus['status'] }) =>
  new ApiError('already_handled', `Only the yank of a yanked version can be undone: this one is ${state}.`, {
    status: state,
  });

/**
 * Publishes a yanked version again, in a transaction; for the first of two persons it stays yanked. Renew the revocation list after it.
 * @throws ApiError not_found, already_handled
 */
export async function unyank(
  deps: UnyankDeps,
  stores: Stores,
  caller: Caller,
  ref: VersionRef,
  { reason, at }: { reason: string; at: string },
): Promise<VersionStatus> {
  const { versions, listings, audit } = stores;
  const record = await requireVersion(versions, ref);
  const allowed = await requireChange(stores, 'unyank', caller, record, at);
  if (record.state !== 'yanked') throw notYanked(record);
  const two = { act: 'unyank', note: reason } as const;
  const actor = await decideByTwo(deps, stores, caller, record, allowed, two);
  if (!actor) return statusOf(record);
  if (!(await versions.move(ref, { from: 'yanked', to: 'published' }, { notes: reason }, actor)))
    throw notYanked(record);
  await listInCatalog({ versions, listings }, ref.appId);
  const { publisher } = record;
  const detail = { reason, ...firstOfTwo(actor) };
  await audit.add(caller, at, { action: 'version.unyank', ...ref, publisher, detail });
  await takeBack(deps, stores, caller, { kind: 'version-yanked', publisher, ...ref }, { note: reason, at });
  return { ...statusOf(record), status: 'published', notes: reason };
}

/**
 * Undoes a yank, which needs two persons where the policy demands it: publishes the version again with its existing signature, lists it, and removes it from the revocation list.
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
