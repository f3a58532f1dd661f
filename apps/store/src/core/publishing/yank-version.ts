import type { VersionStatus } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Quota, type Rate } from '../../platform/rate.ts';
import { recordDecision } from '../domain/decisions/record-decision.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { AppStatsStore } from '../domain/listings/app-stats-store.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import type { ChangeParts } from '../domain/parts/parts.ts';
import { requireChange } from '../domain/versions/changes.ts';
import { RETRACTED } from '../domain/versions/states.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { RevocationListing } from '../revocations/revocation-list.ts';

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
    const mover = await requireChange(stores, 'retractVersion', caller, record, at);
    const step = { from: 'in_review', to: 'rejected' } as const;
    if (!(await versions.move(ref, step, { notes: RETRACTED, retracted: true }, mover))) {
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

/**
 * Versions of others that one moderator or administrator yanks: an unattended or stolen session must not empty the store. An emergency,
 * which needs a proof of identity and is undone as a whole, has no such limit.
 */
const YANKS: Rate = { what: 'yanks of one moderator', name: 'yanks', limit: 30, windowMs: 60 * 60_000 };

export type YankDeps = ChangeParts & {
  revocationList: Pick<RevocationListing, 'renew'>;
  policy: { emergencyInstalls: number | null };
};

/** Whether a caller acts for the publisher, and not for the store against it. */
const isOwn = (caller: Caller, publisher: string): boolean =>
  caller.kind !== 'automation' && caller.memberships.has(publisher);

/**
 * Refuses a moderator who is no member of the publisher, above the installs of the policy: two administrators act then. Automation acts
 * for the operator.
 * @throws ApiError forbidden
 */
async function requireOneIsEnough(
  { policy: { emergencyInstalls: max } }: YankDeps,
  { appStats }: { appStats: AppStatsStore },
  caller: Caller,
  { appId, publisher }: { appId: string; publisher: string },
): Promise<void> {
  if (max === null || caller.kind === 'automation' || isOwn(caller, publisher)) return;
  if ((await appStats.of(appId)).installs <= max) return;
  throw new ApiError(
    'forbidden',
    `${appId} has more than ${max} installs: an administrator starts an emergency, and a second one confirms it.`,
  );
}

/**
 * Yanks a published version: removes it from the catalogue in the same transaction, and adds it to the revocation list before this
 * resolves.
 * @param reason shown to users who have the app
 * @returns the quota of a moderator, or null for members of the publisher and automation
 * @throws ApiError not_found, not_a_member, forbidden, already_handled, rate_limited
 */
export async function yankVersion(
  deps: YankDeps,
  caller: Caller,
  ref: VersionRef,
  { reason, rule }: { reason: string; rule?: string | undefined },
): Promise<{ status: VersionStatus; quota: Quota | null }> {
  const yanked = await deps.unitOfWork(async (stores) => {
    const record = await requireVersion(stores.versions, ref);
    const at = deps.clock().toISOString();
    const actor = await requireChange(stores, 'yank', caller, record, at);
    await requireOneIsEnough(deps, stores, caller, record);
    const isLimited = caller.kind === 'person' && !isOwn(caller, record.publisher);
    const quota = isLimited ? await consume({ ...deps, ...stores }, YANKS, `yank ${caller.name}`) : null;
    if (!(await stores.versions.move(ref, { from: 'published', to: 'yanked' }, { notes: reason }, actor))) {
      throw new ApiError(
        'already_handled',
        `Only a published version can be yanked: this one is ${record.state}.`,
        {
          status: record.state,
        },
      );
    }
    await listInCatalog(stores, ref.appId);
    const { publisher } = record;
    const about = { kind: 'version-yanked', publisher, ...ref, rule, note: reason } as const;
    const cited = !isOwn(caller, publisher) && (await recordDecision(deps, stores, caller, at, about));
    const detail = { reason, ...cited };
    await stores.audit.add(caller, at, { action: 'version.yank', ...ref, publisher, detail });
    if (cited) {
      const { appId, version } = ref;
      const content = { publisher, appId, version, reason };
      await notifyMembers(deps, stores, publisher, { kind: 'version-yanked', detail: content });
    }
    return { status: { ...statusOf(record), status: 'yanked' as const, notes: reason }, quota };
  });
  await deps.revocationList.renew();
  return yanked;
}
