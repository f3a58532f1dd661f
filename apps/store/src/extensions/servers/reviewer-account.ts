import type { ReviewerAccountState } from '@svc/contracts';
import type { PersonCaller } from '../../core/domain/identity/caller.ts';
import type { PostDeps } from '../../core/domain/mail/post-mail.ts';
import { recordPublisherChange } from '../../core/domain/mail/record-publisher-change.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import type { VersionRecord } from '../../core/domain/versions/version-record.ts';
import { requireAppOf, requireOwned } from '../../core/publishers/lives.ts';
import { ApiError } from '../../platform/api-error.ts';
import { createMac, openEntry, sealEntry } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { ToolStore } from './tool-store.ts';

type OwnRef = { slug: string; appId: string };

/** What changes a reviewer account uses. */
export type AccountDeps = PostDeps & { unitOfWork: UnitOfWork<Stores & { tools: ToolStore }> };

export type ReviewerDeps = AccountDeps & Pick<Parts, 'signingKey' | 'random'>;

/** The secret from which the key of an app's token is derived. It is not in the database, and changes when the signing key is rotated. */
const secretOf = ({ signingKey }: Pick<Parts, 'signingKey'>, appId: string): string =>
  createMac(signingKey.privateKey, 'reviewer account')(appId);

const hostOf = (record: Pick<VersionRecord, 'manifest'>): string =>
  new URL(record.manifest.remote.mcpUrl).host;

/**
 * Deposits a token with which the prober lists the server of an app. It is bound to the host of the newest version now: a version that
 * names another server, of a publisher or of a stolen token, does not get it.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, not_found
 */
export const depositReviewerAccount = (
  deps: ReviewerDeps,
  caller: PersonCaller,
  { slug, appId }: OwnRef,
  token: string,
): Promise<ReviewerAccountState> =>
  deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'depositReviewerAccount');
    await requireAppOf(stores, { slug, appId });
    const version = await stores.versions.newestUpload(appId);
    const record = version === null ? null : await stores.versions.find({ appId, version });
    if (!record) throw new ApiError('not_found', `The app ${appId} has no version: publish it first.`);
    const host = hostOf(record);
    const at = deps.clock().toISOString();
    const sealed = sealEntry(secretOf(deps, appId), JSON.stringify({ host, token }), deps.random);
    await stores.tools.depositReviewerAccount(appId, { host, sealed, by: caller.name, at });
    await stores.tools.planCheck(appId, at);
    const event = { action: 'reviewer.deposit', appId, publisher: slug, detail: { host } } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
    return { reviewerAccount: { host, by: caller.name, at } };
  });

/**
 * Deletes the reviewer account of an app, also while its publisher is suspended.
 * @throws ApiError not_a_member, forbidden, not_found
 */
export const removeReviewerAccount = (
  deps: AccountDeps,
  caller: PersonCaller,
  { slug, appId }: OwnRef,
): Promise<ReviewerAccountState> =>
  deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'removeReviewerAccount');
    await requireAppOf(stores, { slug, appId });
    if (!(await stores.tools.removeReviewerAccount(appId)))
      throw new ApiError('not_found', `The app ${appId} has no reviewer account.`);
    const event = { action: 'reviewer.remove', appId, publisher: slug } as const;
    await recordPublisherChange(deps, stores, caller, deps.clock().toISOString(), event);
    return { reviewerAccount: null };
  });

/** The token for the server of a version; undefined when none is deposited, it is for another host, or the signing key was rotated. */
export async function reviewerTokenFor(
  deps: Pick<Parts, 'signingKey'> & { tools: ToolStore },
  record: Pick<VersionRecord, 'appId' | 'manifest'>,
): Promise<string | undefined> {
  const account = await deps.tools.reviewerAccount(record.appId);
  if (!account) return undefined;
  try {
    const { host, token } = JSON.parse(openEntry(secretOf(deps, record.appId), account.sealed));
    return host === hostOf(record) ? token : undefined;
  } catch {
    return undefined;
  }
}
