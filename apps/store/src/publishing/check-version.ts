import type { PermissionDiff, Publisher } from '@svc/contracts';
import { diffFootprints, footprintOf } from '@svc/permissions';
import type { Clock, Log } from '../platform/ambient.ts';
import { Unavailable } from '../platform/unavailable.ts';
import type { PublisherStore } from '../publishers/publisher-store.ts';
import { latestOf } from './latest.ts';
import { type ReviewPolicy, routeReview } from './route-review.ts';
import type { VersionRecord, VersionRef, VersionStore } from './version-store.ts';

export type CheckDeps = {
  versions: VersionStore;
  publishers: PublisherStore;
  policy: ReviewPolicy;
  clock: Clock;
  log: Log;
};

/** Reason given when the checker itself failed: such a version must be seen by a person. */
const CHECK_FAILED = 'flagged:check.error';

async function permissionDiff(deps: CheckDeps, { appId, manifest }: VersionRecord): Promise<PermissionDiff> {
  const latest = latestOf(await deps.versions.publishedNumbers(appId));
  const base = latest && (await deps.versions.find({ appId, version: latest.version }));
  return diffFootprints(
    base && { version: base.version, footprint: footprintOf(base.manifest) },
    footprintOf(manifest),
  );
}

async function route(deps: CheckDeps, record: VersionRecord, publisher: Publisher | null) {
  const diff = await permissionDiff(deps, record);
  const reasons = routeReview(diff, record.issues, publisher ?? { verified: false }, deps.policy);
  return { permissionDiff: diff, reasons };
}

/**
 * Compares a version under check with the latest published one and moves it on: to `approved` when nothing asks for a
 * person, else to `in_review`. It fails closed: a fault in here sends the version to review, never to publication.
 */
export async function checkVersion(deps: CheckDeps, ref: VersionRef): Promise<void> {
  const record = await deps.versions.find(ref);
  if (record?.state !== 'checking') return;
  const mover = { by: 'checker', at: deps.clock().toISOString() };
  try {
    const verdict = await route(deps, record, await deps.publishers.find(record.publisher));
    const to = verdict.reasons.length === 0 ? 'approved' : 'in_review';
    await deps.versions.move(ref, { from: 'checking', to }, verdict, mover);
  } catch (error) {
    // No fault of the check: the version stays as it is, and is taken up again when the database is back.
    if (error instanceof Unavailable) throw error;
    deps.log.error({ err: error, ...ref }, 'The check failed; a person must look.');
    const reasons = [CHECK_FAILED];
    await deps.versions.move(ref, { from: 'checking', to: 'in_review' }, { reasons }, mover);
  }
}
