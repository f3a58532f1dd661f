import type { PermissionDiff, Publisher } from '@svc/contracts';
import { diffFootprints, footprintOf } from '@svc/permissions';
import type { Clock, Log } from '../platform/ambient.ts';
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
  const base = latestOf(await deps.versions.ofApp(appId, 'published'));
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
 * Compares a submitted version with the latest published one and moves it on: to `approved` when nothing asks for a
 * person, else to `in_review`. It fails closed: a fault in here sends the version to review, never to publication.
 */
export async function checkVersion(deps: CheckDeps, ref: VersionRef): Promise<void> {
  const move = () => ({ by: 'checker', at: deps.clock().toISOString() });
  await deps.versions.move(ref, 'checking', {}, move());
  const record = await deps.versions.find(ref);
  if (record?.state !== 'checking') return;
  try {
    const verdict = await route(deps, record, await deps.publishers.find(record.publisher));
    await deps.versions.move(ref, verdict.reasons.length === 0 ? 'approved' : 'in_review', verdict, move());
  } catch (error) {
    deps.log.error({ err: error, ...ref }, 'The check failed; a person must look.');
    await deps.versions.move(ref, 'in_review', { reasons: [CHECK_FAILED] }, move());
  }
}
