import { type Issue, LIMITS, type PermissionDiff, type Review } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import type { MemberStore } from '../domain/identity/member-store.ts';
import { namesOnRecord } from '../domain/identity/names-on-record.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import {
  MISSING_REQUIREMENT,
  missingRequirements,
  type RequirementStores,
} from '../domain/versions/missing-requirements.ts';
import { liveLock, placeInQueue, type ReviewPeriod } from '../domain/versions/place-in-queue.ts';
import type { ReviewStore } from '../domain/versions/review-store.ts';
import { diffOfVersions, footprintOfVersion } from '../domain/versions/version-footprint.ts';
import { permissionDiffOf, requireVersion } from '../domain/versions/version-status.ts';
import type { VersionRecord, VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import type { Clock } from '../platform/system.ts';
import { conflictOf, type IndependencePolicy } from './independence.ts';
import { summaryOf } from './summarise.ts';

export type ReviewDeps = {
  versions: VersionStore;
  apps: RequirementStores['apps'];
  reviews: ReviewStore;
  publishers: PublisherStore;
  members: Pick<MemberStore, 'of'>;
  people: Pick<PersonStore, 'search' | 'findAll'>;
  policy: ReviewPeriod & IndependencePolicy;
  clock: Clock;
  /** Address at which moderators find the zip of a version. */
  reviewBundleUrl(ref: VersionRef): string;
};

/** The version that the check compared with, whatever became of it since. */
async function baseOf(deps: ReviewDeps, appId: string, diff: PermissionDiff): Promise<Review['base']> {
  const base = diff.baseVersion && (await deps.versions.find({ appId, version: diff.baseVersion }));
  if (!base) return null;
  const { version, state: status, manifest } = base;
  return { version, status, manifest: summaryOf(manifest), reach: footprintOfVersion(base) };
}

/**
 * What was published after the check compared: the check's difference is then not to what users have consented to. Null
 * while it is, and of a version that waits no more.
 */
async function currentOf(
  { versions }: ReviewDeps,
  next: VersionRecord,
  { baseVersion }: PermissionDiff,
): Promise<Review['current']> {
  const { appId, state } = next;
  const version = state === 'in_review' ? await versions.latestPublished(appId) : null;
  if (version === null || version === baseVersion) return null;
  const found = await versions.find({ appId, version });
  if (!found) return null;
  return {
    version,
    manifest: summaryOf(found.manifest),
    reach: footprintOfVersion(found),
    permissionDiff: diffOfVersions(found, next),
  };
}

async function standingOf(deps: ReviewDeps, ref: VersionRef): Promise<Review['review']> {
  const standing = await deps.reviews.standing(ref);
  const place = standing && (await placeInQueue(deps, standing));
  return (
    place && {
      ...place,
      superseded: standing.superseded,
      lock: liveLock(standing.lock, deps.clock().toISOString()),
      changesRequestedAt: standing.changesRequestedAt,
      assignedTo: standing.assignedTo,
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

/** Findings as they hold now: a required app may have been published, or withdrawn, since the bundle arrived. */
async function issuesOf(deps: ReviewDeps, { state, issues, manifest }: VersionRecord): Promise<Issue[]> {
  if (state !== 'in_review') return issues;
  const found = issues.filter(({ code, level }) => code !== MISSING_REQUIREMENT || level === 'error');
  return [...found, ...(await missingRequirements(deps, manifest))];
}

/**
 * All that a reviewer needs of an uploaded version, in whatever state.
 * @throws ApiError not_found
 */
export async function reviewOf(deps: ReviewDeps, caller: Caller, ref: VersionRef): Promise<Review> {
  const record = await requireVersion(deps.versions, ref);
  const permissionDiff = permissionDiffOf(record);
  const { appId, version, submittedAt, submittedBy, sha256, size } = record;
  const issues = await issuesOf(deps, record);
  const history = await historyOf(deps, record);
  const { app, publisher } = history.decisions;
  const movers = [...history.moves, ...app, ...publisher].map(({ by }) => by);
  const { reasons, notes, readme, changelog, manifest } = record;
  return {
    ...{ appId, version, status: record.state, submittedAt, submittedBy, sha256, size },
    publisher: await requirePublisher(deps, record.publisher),
    ...{ reasons, notes, issues, permissionDiff },
    manifest: summaryOf(manifest),
    reach: footprintOfVersion(record),
    base: await baseOf(deps, appId, permissionDiff),
    current: await currentOf(deps, record, permissionDiff),
    pictures: record.files.map(({ path }) => path),
    review: await standingOf(deps, record),
    conflict: await conflictOf(deps, caller, record),
    ...history,
    names: await namesOnRecord(deps, [submittedBy, ...movers]),
    bundleUrl: deps.reviewBundleUrl(record),
    ...{ readme, changelog },
  };
}
