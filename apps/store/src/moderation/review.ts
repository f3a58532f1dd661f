import { LIMITS, type PermissionDiff, type Review } from '@svc/contracts';
import { diffFootprints, footprintOf } from '@svc/permissions';
import type { Clock } from '../platform/ambient.ts';
import type { PublisherStore } from '../publishers/publisher-store.ts';
import { latestOf } from '../publishing/latest.ts';
import { permissionDiffOf, requireVersion } from '../publishing/version-status.ts';
import type { VersionRecord, VersionRef, VersionStore } from '../publishing/version-store.ts';
import { liveLock, placeInQueue, type ReviewPeriod } from './place-in-queue.ts';
import type { ReviewStore } from './review-store.ts';
import { reachOf, summaryOf } from './summarise.ts';

export type ReviewDeps = {
  versions: VersionStore;
  reviews: ReviewStore;
  publishers: PublisherStore;
  policy: ReviewPeriod;
  clock: Clock;
  /** Address at which moderators find the zip of a version. */
  reviewBundleUrl(ref: VersionRef): string;
};

/** The version that the check compared with, whatever became of it since. */
async function baseOf(deps: ReviewDeps, appId: string, diff: PermissionDiff): Promise<Review['base']> {
  const base = diff.baseVersion && (await deps.versions.find({ appId, version: diff.baseVersion }));
  if (!base) return null;
  const { version, state: status, manifest } = base;
  return { version, status, manifest: summaryOf(manifest), reach: reachOf(manifest) };
}

/**
 * What was published after the check compared: the check's difference is then not to what users have consented to. Null
 * while it is, and of a version that waits no more.
 */
async function currentOf(
  { versions }: ReviewDeps,
  { appId, state, manifest: next }: VersionRecord,
  { baseVersion }: PermissionDiff,
): Promise<Review['current']> {
  const latest = state === 'in_review' ? latestOf(await versions.publishedNumbers(appId)) : null;
  if (!latest || latest.version === baseVersion) return null;
  const { version } = latest;
  const found = await versions.find({ appId, version });
  if (!found) return null;
  const { manifest } = found;
  const permissionDiff = diffFootprints({ version, footprint: footprintOf(manifest) }, footprintOf(next));
  return { version, manifest: summaryOf(manifest), reach: reachOf(manifest), permissionDiff };
}

async function standingOf(deps: ReviewDeps, ref: VersionRef): Promise<Review['review']> {
  const standing = await deps.reviews.standing(ref);
  const place = standing && (await placeInQueue(deps, standing));
  return (
    place && {
      ...place,
      superseded: standing.superseded,
      lock: liveLock(standing.lock, deps.clock().toISOString()),
    }
  );
}

async function historyOf(
  deps: ReviewDeps,
  record: VersionRecord,
): Promise<Pick<Review, 'moves' | 'decisions'>> {
  const { appId, publisher } = record;
  const { decisions: most } = LIMITS.moderation;
  const [moves, ofApp, ofPublisher] = await Promise.all([
    deps.reviews.moves(record),
    deps.reviews.decisions({ appId }, record, most),
    deps.reviews.decisions({ publisher }, record, most),
  ]);
  return { moves, decisions: { app: ofApp, publisher: ofPublisher } };
}

async function requirePublisher(deps: ReviewDeps, slug: string) {
  const publisher = await deps.publishers.find(slug);
  if (!publisher) throw new Error('A version has lost its publisher.');
  return publisher;
}

/**
 * All that a reviewer needs of an uploaded version, in whatever state.
 * @throws Refusal not_found
 */
export async function reviewOf(deps: ReviewDeps, ref: VersionRef): Promise<Review> {
  const record = await requireVersion(deps.versions, ref);
  const permissionDiff = permissionDiffOf(record);
  const { appId, version, submittedAt, submittedBy, sha256, size } = record;
  const { reasons, notes, issues, readme, changelog, manifest } = record;
  return {
    ...{ appId, version, status: record.state, submittedAt, submittedBy, sha256, size },
    publisher: await requirePublisher(deps, record.publisher),
    ...{ reasons, notes, issues, permissionDiff },
    manifest: summaryOf(manifest),
    reach: reachOf(manifest),
    base: await baseOf(deps, appId, permissionDiff),
    current: await currentOf(deps, record, permissionDiff),
    pictures: record.files.map(({ path }) => path),
    review: await standingOf(deps, record),
    ...(await historyOf(deps, record)),
    bundleUrl: deps.reviewBundleUrl(record),
    ...{ readme, changelog },
  };
}
