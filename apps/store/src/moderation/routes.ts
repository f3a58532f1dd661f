import type { LinkIssues } from '../docs/link-issues.ts';
import type { RouteHandler } from '../http/bind-route.ts';
import type { BlobStore } from '../publishing/blob-store.ts';
import type { SignDeps } from '../publishing/sign-version.ts';
import { approve, type DecideDeps, reject } from './decide.ts';
import { reviewQueue } from './queue.ts';
import { openForReview } from './review-bundle.ts';
import { type SuspendDeps, suspendApp } from './suspend-app.ts';

export type ModerationDeps = SignDeps &
  DecideDeps &
  SuspendDeps & { blobs: BlobStore; linkIssues: LinkIssues };

/** What moderators and administrators do with versions and apps. */
export const moderationRoutes = (deps: ModerationDeps) => ({
  moderationQueue: (async (c) => {
    const { entries, total } = await reviewQueue(deps);
    return c.json({ entries: entries.map(deps.linkIssues), total }, 200, { 'Cache-Control': 'no-store' });
  }) satisfies RouteHandler<'moderationQueue'>,
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
  approve: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await approve(deps, c.get('caller'), params, body.note)),
    )) satisfies RouteHandler<'approve'>,
  reject: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await reject(deps, c.get('caller'), params, body.note)),
    )) satisfies RouteHandler<'reject'>,
  changeApp: (async (c, { params, body }) =>
    c.json(
      await suspendApp(deps, c.get('caller'), params.appId, body.suspended),
    )) satisfies RouteHandler<'changeApp'>,
});
