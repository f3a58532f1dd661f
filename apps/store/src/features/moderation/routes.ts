import type { CannedReason } from '@svc/contracts';
import type { RouteHandler } from '../../access/bind-route.ts';
import type { AppStore } from '../../domain/versions/app-store.ts';
import type { ReviewPeriod } from '../../domain/versions/place-in-queue.ts';
import { openForReview, openPictureForReview } from '../../domain/versions/review-bundle.ts';
import { requireVersion } from '../../domain/versions/version-status.ts';
import { pictureHeaders } from '../../http/picture-headers.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { LinkIssues } from '../../platform/link-issues.ts';
import type { Rasters } from '../pictures/rasters.ts';
import type { SignDeps } from '../publishing/sign-version.ts';
import { type AssignDeps, assignReview } from './assign-review.ts';
import {
  type ConversationDeps,
  readAsModerator,
  readAsPublisher,
  writeAsModerator,
  writeAsPublisher,
} from './conversation.ts';
import { approve, type DecideDeps, reject } from './decide.ts';
import type { IndependencePolicy } from './independence.ts';
import { lockReview, unlockReview } from './lock-review.ts';
import { findModerators, type ModeratorsDeps } from './moderators.ts';
import { reviewQueue } from './queue.ts';
import { type ReviewDeps, reviewOf } from './review.ts';
import { findApps, type SuspendDeps, suspendApp } from './suspend-app.ts';

/** The review policy of a store. */
export type ModerationPolicy = ReviewPeriod & IndependencePolicy & { cannedReasons: readonly CannedReason[] };

export type ModerationDeps = SignDeps &
  DecideDeps &
  ConversationDeps &
  AssignDeps &
  SuspendDeps &
  ModeratorsDeps &
  ReviewDeps & {
    rasters: Pick<Rasters, 'rasterOf'>;
    apps: AppStore;
    policy: ModerationPolicy;
    blobs: BlobStore;
    linkIssues: LinkIssues;
  };

/** Content for moderators must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** The routes of moderators and administrators for versions and apps. */
export const moderationRoutes = (deps: ModerationDeps) => ({
  moderationQueue: (async (c, { query }) => {
    const { entries, ...page } = await reviewQueue(deps, c.get('caller'), query);
    return c.json({ entries: entries.map(deps.linkIssues), ...page }, 200, NO_STORE);
  }) satisfies RouteHandler<'moderationQueue'>,
  cannedReasons: ((c) =>
    c.json({ reasons: deps.policy.cannedReasons }, 200, NO_STORE)) satisfies RouteHandler<'cannedReasons'>,
  moderators: (async (c) =>
    c.json({ moderators: await findModerators(deps) }, 200, NO_STORE)) satisfies RouteHandler<'moderators'>,
  review: (async (c, { params }) =>
    c.json(
      deps.linkIssues(await reviewOf(deps, c.get('caller'), params)),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'review'>,
  lockReview: (async (c, { params, body }) =>
    c.json(await lockReview(deps, c.get('caller'), params, body))) satisfies RouteHandler<'lockReview'>,
  unlockReview: (async (c, { params, query }) =>
    c.json(await unlockReview(deps, c.get('caller'), params, query))) satisfies RouteHandler<'unlockReview'>,
  assignReview: (async (c, { params, body }) =>
    c.json(await assignReview(deps, c.get('caller'), params, body))) satisfies RouteHandler<'assignReview'>,
  conversation: (async (c, { params }) =>
    c.json(
      await readAsPublisher(deps, c.get('caller'), params),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'conversation'>,
  writeMessage: (async (c, { params, body }) =>
    c.json(
      await writeAsPublisher(deps, c.get('caller'), params, body),
      201,
    )) satisfies RouteHandler<'writeMessage'>,
  reviewConversation: (async (c, { params }) =>
    c.json(
      await readAsModerator(deps, c.get('caller'), params),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'reviewConversation'>,
  writeReviewMessage: (async (c, { params, body }) =>
    c.json(
      await writeAsModerator(deps, c.get('caller'), params, body),
      201,
    )) satisfies RouteHandler<'writeReviewMessage'>,
  reviewBundle: (async (c, { params }) => {
    const { record, blob } = await openForReview(deps, params);
    return c.body(blob.stream(), 200, {
      'Content-Type': 'application/zip',
      'Content-Length': String(blob.size),
      'Content-Disposition': `attachment; filename="${record.appId}-${record.version}.svc-app"`,
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Svc-Sha256': record.sha256,
    });
  }) satisfies RouteHandler<'reviewBundle'>,
  reviewIcon: (async (c, { params }) => {
    const { files, manifest } = await requireVersion(deps.versions, params);
    const file = files.find(({ path }) => path === manifest.branding.icon);
    if (!file) throw new Error('The icon of a version is not among its pictures.');
    const headers = { ...pictureHeaders('image/png'), 'Cache-Control': 'private, max-age=3600' };
    return c.body((await deps.rasters.rasterOf(file)) as Uint8Array<ArrayBuffer>, 200, headers);
  }) satisfies RouteHandler<'reviewIcon'>,
  reviewPicture: (async (c, { params, query }) => {
    const { file, blob } = await openPictureForReview(deps, params, params.path);
    if (query.raster !== undefined) {
      const png = await deps.rasters.rasterOf(file);
      const headers = { ...pictureHeaders('image/png'), 'Cache-Control': 'private, no-store' };
      return c.body(png as Uint8Array<ArrayBuffer>, 200, headers);
    }
    return c.body(blob.stream(), 200, {
      ...pictureHeaders(file.type),
      'Content-Length': String(blob.size),
      'Cache-Control': 'private, no-store',
    });
  }) satisfies RouteHandler<'reviewPicture'>,
  approve: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await approve(deps, c.get('caller'), params, body)),
    )) satisfies RouteHandler<'approve'>,
  reject: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await reject(deps, c.get('caller'), params, body)),
    )) satisfies RouteHandler<'reject'>,
  apps: (async (c, { query }) =>
    c.json(await findApps(deps, query), 200, NO_STORE)) satisfies RouteHandler<'apps'>,
  changeApp: (async (c, { params, body }) =>
    c.json(await suspendApp(deps, c.get('caller'), params.appId, body))) satisfies RouteHandler<'changeApp'>,
});
