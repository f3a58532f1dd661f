import type { PermissionDiff, Publisher } from '@svc/contracts';
import { type LeaseDeps, leaseFrom } from '../domain/versions/lease.ts';
import { missingRequirements } from '../domain/versions/missing-requirements.ts';
import { diffOfVersions } from '../domain/versions/version-footprint.ts';
import type { VersionRecord, VersionRef } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Log, UnitOfWork } from '../platform/system.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import { type ReviewPolicy, routeReview } from './route-review.ts';
import { SigningError } from './sign-version.ts';
import type { SubmitStores } from './submit-version.ts';

export type CheckDeps = LeaseDeps & {
  unitOfWork: UnitOfWork<SubmitStores>;
  policy: ReviewPolicy;
  log: Log;
};

/** Reason given when the checker itself failed: such a version must be seen by a person. */
const CHECK_FAILED = 'flagged:check.error';

async function diffToPublished({ versions }: SubmitStores, record: VersionRecord): Promise<PermissionDiff> {
  const { appId } = record;
  const version = await versions.latestPublished(appId);
  return diffOfVersions(version === null ? null : await versions.find({ appId, version }), record);
}

/** In whose place a publisher is judged that cannot be found: nobody trusts it. */
const UNKNOWN_PUBLISHER = { slug: '', verified: false };

async function route(
  stores: SubmitStores,
  policy: ReviewPolicy,
  record: VersionRecord,
  publisher: Publisher | null,
) {
  const diff = await diffToPublished(stores, record);
  // Asked again: what was there when the bundle arrived may be withdrawn by now.
  const issues = [...record.issues, ...(await missingRequirements(stores, record.manifest))];
  const reasons = routeReview(diff, issues, publisher ?? UNKNOWN_PUBLISHER, policy);
  return { permissionDiff: diff, reasons };
}

/** Decides on a version under check, in the transaction that brought it there, and gives it as it stands then. */
export type Check = (deps: CheckDeps, stores: SubmitStores, record: VersionRecord) => Promise<VersionRecord>;

/**
 * Compares a version under check with the latest published one and moves it on: to `approved` when nothing asks for a
 * person, else to `in_review`.
 */
const checkVersion: Check = async (deps, stores, record) => {
  const verdict = await route(stores, deps.policy, record, await stores.publishers.find(record.publisher));
  const mover = { by: 'checker', at: deps.clock().toISOString() };
  const state = verdict.reasons.length > 0 ? 'in_review' : 'approved';
  // Who checked it goes on to sign it.
  const change = state === 'approved' ? { ...verdict, lease: leaseFrom(deps) } : verdict;
  await stores.versions.move(record, { from: 'checking', to: state }, change, mover);
  return { ...record, ...verdict, state };
};

const sendToPerson: Check = async ({ clock }, { versions }, record) => {
  const mover = { by: 'checker', at: clock().toISOString() };
  const reasons = [CHECK_FAILED];
  await versions.move(record, { from: 'checking', to: 'in_review' }, { reasons }, mover);
  return { ...record, reasons, state: 'in_review' };
};

/** What says nothing about the check. */
const PASSED_ON = [ApiError, UnavailableError, SigningError];

/**
 * Lets a check fail closed: a fault in it sends the version to review, never to publication.
 * @param attempt brings the version under check and checks it in one transaction, so that no version is seen without a
 *   verdict. It is made again when the check fails, since all of a transaction with a fault in it is undone
 * @throws what the attempt refuses, SigningError and UnavailableError: the version stays as it was before
 */
export async function failClosed<T>(
  { log }: Pick<CheckDeps, 'log'>,
  { appId, version }: VersionRef,
  attempt: (check: Check) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(checkVersion);
  } catch (error) {
    if (PASSED_ON.some((kind) => error instanceof kind)) throw error;
    log.error({ err: error, appId, version }, 'The check failed; a person must look.');
    return await attempt(sendToPerson);
  }
}
