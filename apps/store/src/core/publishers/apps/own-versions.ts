import type {
  OwnPageQuery,
  OwnVersion,
  OwnVersionDetail,
  OwnVersions,
  PermissionDiff,
  ReviewClock,
} from '@svc/contracts';
import { z } from 'zod';
import type { BlobStore } from '../../../platform/blob-store.ts';
import { pageOf } from '../../../platform/page-of.ts';
import type { Clock } from '../../../platform/system.ts';
import { ownNotes } from '../../catalog/with-rendered.ts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { openPictureForReview } from '../../domain/versions/review-bundle.ts';
import { placeInQueue, type ReviewPeriod } from '../../domain/versions/review-clock.ts';
import type { VersionRecord } from '../../domain/versions/version-record.ts';
import { diffOfVersions, permissionDiffOf, requireVersion } from '../../domain/versions/version-status.ts';
import type { OwnAppStore, OwnVersionRecord } from './own-app-store.ts';
import { requireOwnApp } from './own-apps.ts';

export type OwnVersionDeps = Pick<Parts, 'versions' | 'reviews' | 'renderer'> & {
  ownApps: OwnAppStore;
  policy: ReviewPeriod;
  reviewClock: () => Promise<ReviewClock>;
  clock: Clock;
};

/** An app and its publisher, as the caller named them. */
export type OwnAppRef = { slug: string; appId: string };

/** Opaque to clients: upload time and number of the last version of a page. */
const Cursor = z.tuple([z.string(), z.string()]);

const summaryOf = ({ state: status, ...record }: OwnVersionRecord): OwnVersion => {
  const { version, submittedAt, publishedAt, sha256, size, reasons, notes, retracted } = record;
  return { version, status, submittedAt, publishedAt, sha256, size, reasons, notes, retracted };
};

/**
 * Reads one page of the versions of an app, the newest upload first.
 * @throws ApiError not_found; invalid_request for an invalid cursor
 */
export async function listOwnVersions(
  deps: OwnVersionDeps,
  caller: PersonCaller,
  { slug, appId }: OwnAppRef,
  query: OwnPageQuery,
): Promise<OwnVersions> {
  await requireOwnApp(deps, caller, slug, appId);
  const { items, nextCursor } = await pageOf(
    query,
    Cursor,
    (after) => deps.ownApps.versions(appId, query.limit + 1, after),
    ({ submittedAt, version }) => [submittedAt, version],
  );
  return { versions: items.map(summaryOf), nextCursor };
}

async function requireOwnVersion(
  deps: OwnVersionDeps,
  caller: PersonCaller,
  { slug, appId }: OwnAppRef,
  version: string,
): Promise<VersionRecord> {
  await requireOwnApp(deps, caller, slug, appId);
  return requireVersion(deps.versions, { appId, version });
}

/**
 * The details of a version of an app, for the members of its publisher.
 * @throws ApiError not_found
 */
export async function ownVersion(
  deps: OwnVersionDeps,
  caller: PersonCaller,
  app: OwnAppRef,
  version: string,
): Promise<OwnVersionDetail> {
  const record = await requireOwnVersion(deps, caller, app, version);
  const review = await deps.reviews.reviewState(record);
  const moves = await deps.reviews.moves(record);
  return {
    ...summaryOf(record),
    appId: record.appId,
    issues: record.issues,
    permissionDiff: permissionDiffOf(record),
    moves: moves.map(({ from, to, at, note }) => ({ from, to, at, note })),
    review: review && (await placeInQueue(deps, review)),
    changesRequestedAt: review?.changesRequestedAt ?? null,
    changelog: record.changelog,
    changelogHtml: await deps.renderer.markdown(ownNotes(record.changelog, record.version)),
    source: record.source ?? null,
    attestation: record.attestation ?? null,
  };
}

/**
 * The icon or the mark of a version, so that its publisher can compare versions.
 * @throws ApiError not_found
 */
export async function ownPicture(
  deps: OwnVersionDeps & { blobs: BlobStore },
  caller: PersonCaller,
  app: OwnAppRef,
  { version, picture }: { version: string; picture: 'icon' | 'mark' },
) {
  const record = await requireOwnVersion(deps, caller, app, version);
  return openPictureForReview(deps, record, record.manifest.branding[picture] ?? '');
}

/**
 * The changes of permissions between two versions of an app, as the review routing computes them.
 * @throws ApiError not_found
 */
export async function compareVersions(
  deps: OwnVersionDeps,
  caller: PersonCaller,
  app: OwnAppRef,
  { from, to }: { from: string; to: string },
): Promise<PermissionDiff> {
  const base = await requireOwnVersion(deps, caller, app, from);
  const next = await requireVersion(deps.versions, { appId: app.appId, version: to });
  return diffOfVersions(base, next);
}
