import type { PermissionDiff, Publisher } from '@svc/contracts';
import { latestOf } from '../domain/versions/latest.ts';
import { type LeaseDeps, leaseFrom } from '../domain/versions/lease.ts';
import { missingRequirements } from '../domain/versions/missing-requirements.ts';
import { diffOfVersions } from '../domain/versions/version-footprint.ts';
import type { VersionRecord, VersionRef } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Log, UnitOfWork } from '../platform/system.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import { type ReviewPolicy, routeReview } from './route-review.ts';
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
  const latest = latestOf(await versions.publishedNumbers(appId));
  return diffOfVersions(latest && (await versions.find({ appId, version: latest.version })), record);
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

async function judge(deps: CheckDeps, stores: SubmitStores, ref: VersionRef): Promise<void> {
  const record = await stores.versions.find(ref);
  if (record?.state !== 'checking') return;
  const verdict = await route(stores, deps.policy, record, await stores.publishers.find(record.publisher));
  const mover = { by: 'checker', at: deps.clock().toISOString() };
  if (verdict.reasons.length > 0) {
    await stores.versions.move(ref, { from: 'checking', to: 'in_review' }, verdict, mover);
    return;
  }
  // Whoever checked it goes on to sign it.
  const change = { ...verdict, lease: leaseFrom(deps) };
  await stores.versions.move(ref, { from: 'checking', to: 'approved' }, change, mover);
}

async function sendToPerson(deps: CheckDeps, { versions }: SubmitStores, ref: VersionRef): Promise<void> {
  const mover = { by: 'checker', at: deps.clock().toISOString() };
  await versions.move(ref, { from: 'checking', to: 'in_review' }, { reasons: [CHECK_FAILED] }, mover);
}

/**
 * Compares a version under check with the latest published one and moves it on: to `approved` when nothing asks for a
 * person, else to `in_review`. It fails closed: a fault in here sends the version to review, never to publication.
 * @param begin brings the version under check, in the same transaction, so that nobody sees it without a verdict. It runs
 *   again when the check fails, since all of a transaction with a fault in it is undone
 * @throws what `begin` refuses, and Unavailable: the version stays as it was before
 */
export async function checkVersion(
  deps: CheckDeps,
  ref: VersionRef,
  begin: (stores: SubmitStores) => Promise<void>,
): Promise<void> {
  const run = (step: typeof judge) =>
    deps.unitOfWork(async (stores) => {
      await begin(stores);
      await step(deps, stores, ref);
    });
  try {
    await run(judge);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnavailableError) throw error;
    const { appId, version } = ref;
    deps.log.error({ err: error, appId, version }, 'The check failed; a person must look.');
    await run(sendToPerson);
  }
}
