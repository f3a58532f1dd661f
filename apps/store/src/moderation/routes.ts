import type { LinkIssues } from '../docs/link-issues.ts';
import type { RouteHandler } from '../http/bind-route.ts';
import type { SignDeps } from '../publishing/sign-version.ts';
import type { AppStore, VersionStore } from '../publishing/version-store.ts';
import { approve, reject } from './decide.ts';
import { reviewQueue } from './queue.ts';
import { suspendApp } from './suspend-app.ts';

export type ModerationDeps = SignDeps & { versions: VersionStore; apps: AppStore; linkIssues: LinkIssues };

/** What moderators and administrators do with versions and apps. */
export const moderationRoutes = (deps: ModerationDeps) => ({
  moderationQueue: (async (c) => {
    const { entries, total } = await reviewQueue(deps);
    return c.json({ entries: entries.map(deps.linkIssues), total }, 200, { 'Cache-Control': 'no-store' });
  }) satisfies RouteHandler<'moderationQueue'>,
  approve: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await approve(deps, c.get('caller'), params, body.note)),
    )) satisfies RouteHandler<'approve'>,
  reject: (async (c, { params, body }) =>
    c.json(
      deps.linkIssues(await reject(deps, c.get('caller'), params, body.note)),
    )) satisfies RouteHandler<'reject'>,
  changeApp: (async (c, { params, body }) =>
    c.json(await suspendApp(deps, params.appId, body.suspended))) satisfies RouteHandler<'changeApp'>,
});
