import { type CannedReason, LIMITS, type Moderators, type PersonRole } from '@svc/contracts';
import { pictureHeaders } from '../../http/send.ts';
import type { LinkIssues } from '../../platform/link-issues.ts';
import type { Handlers } from '../access/bind-route.ts';
import { rasterType } from '../catalog/file-headers.ts';
import type { IndependencePolicy } from '../domain/decisions/independent.ts';
import type { TwoPersonsPolicy } from '../domain/decisions/two-persons.ts';
import { personName } from '../domain/identity/caller.ts';
import type { Parts, Stores } from '../domain/parts/parts.ts';
import { openForReview, openPictureForReview, panelForReview } from '../domain/versions/review-bundle.ts';
import type { ReviewPeriod } from '../domain/versions/review-clock.ts';
import { requireVersion } from '../domain/versions/version-status.ts';
import type { Rasters } from '../pictures/rasters.ts';
import { readAsModerator, readAsPublisher, writeAsModerator, writeAsPublisher } from './conversation.ts';
import { approve, reject } from './decide.ts';
import { assignReview, lockReview, unlockReview } from './lock-review.ts';
import { reviewQueue } from './queue.ts';
import { type ReviewDeps, reviewOf } from './review.ts';
import { findApps, suspendApp } from './suspend-app.ts';

const ROLES: readonly PersonRole[] = ['administrator', 'moderator'];

/** The moderators and administrators of the store, at most a hundred of each role. */
async function findModerators({ people }: Pick<Stores, 'people'>): Promise<Moderators['moderators']> {
  const search = (role: PersonRole) => people.search({ role, after: null, limit: LIMITS.people.maxPage });
  const pages = await Promise.all(ROLES.map(search));
  return pages.flatMap(({ rows }) => rows).map(({ id, name }) => ({ by: personName(id), name }));
}

export type ModerationPolicy = ReviewPeriod &
  IndependencePolicy &
  TwoPersonsPolicy & { cannedReasons: readonly CannedReason[] };

export type ModerationDeps = Parts &
  ReviewDeps & { rasters: Pick<Rasters, 'rasterOf'>; policy: ModerationPolicy; linkIssues: LinkIssues };

/** A page without an origin: it has neither the session of the moderator nor the pages of the store, wherever it is opened. */
const PANEL_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "sandbox allow-scripts allow-forms; default-src data: blob: 'unsafe-inline'; connect-src 'none'; form-action 'none'; frame-src 'none'; webrtc 'block'; frame-ancestors 'self'",
  'Connection-Allowlist': '();webrtc=block',
  'Cache-Control': 'private, no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The routes of moderators and administrators for versions and apps. */
export const moderationRoutes = (deps: ModerationDeps) =>
  ({
    moderationQueue: async ({ caller, query }) => {
      const { entries, ...page } = await reviewQueue(deps, caller, query);
      return { entries: entries.map(deps.linkIssues), ...page };
    },
    cannedReasons: () => ({ reasons: [...deps.policy.cannedReasons] }),
    moderators: async () => ({ moderators: await findModerators(deps) }),
    review: async ({ caller, params }) => deps.linkIssues(await reviewOf(deps, caller, params)),
    lockReview: ({ caller, params, body }) => lockReview(deps, caller, params, body),
    unlockReview: ({ caller, params, query }) => unlockReview(deps, caller, params, query),
    assignReview: ({ caller, params, body }) => assignReview(deps, caller, params, body),
    conversation: ({ caller, params }) => readAsPublisher(deps, caller, params),
    writeMessage: ({ caller, params, body }) => writeAsPublisher(deps, caller, params, body),
    reviewConversation: ({ caller, params }) => readAsModerator(deps, caller, params),
    writeReviewMessage: ({ caller, params, body }) => writeAsModerator(deps, caller, params, body),
    reviewBundle: async ({ params }, c) => {
      const { record, blob } = await openForReview(deps, params);
      return c.body(blob.stream(), 200, {
        'Content-Type': 'application/zip',
        'Content-Length': String(blob.size),
        'Content-Disposition': `attachment; filename="${record.appId}-${record.version}.svc-app"`,
        'Cache-Control': 'private, no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Svc-Sha256': record.sha256,
      });
    },
    reviewPanel: async ({ params }, c) =>
      c.body(await panelForReview(deps, params, params.panel), 200, PANEL_HEADERS),
    reviewIcon: async ({ params }, c) => {
      const { files, manifest } = await requireVersion(deps.versions, params);
      const file = files.find(({ path }) => path === manifest.branding.icon);
      if (!file) throw new Error('The icon of a version is not among its pictures.');
      const drawn = await deps.rasters.rasterOf(file, '192');
      const headers = { ...pictureHeaders(rasterType(drawn)), 'Cache-Control': 'private, max-age=3600' };
      return c.body(drawn as Uint8Array<ArrayBuffer>, 200, headers);
    },
    reviewPicture: async ({ params, query }, c) => {
      const { file, blob } = await openPictureForReview(deps, params, params.path);
      if (query.raster !== undefined) {
        const drawn = await deps.rasters.rasterOf(file, query.raster);
        const headers = { ...pictureHeaders(rasterType(drawn)), 'Cache-Control': 'private, no-store' };
        return c.body(drawn as Uint8Array<ArrayBuffer>, 200, headers);
      }
      return c.body(blob.stream(), 200, {
        ...pictureHeaders(file.type),
        'Content-Length': String(blob.size),
        'Cache-Control': 'private, no-store',
      });
    },
    approve: async ({ caller, params, body }) => deps.linkIssues(await approve(deps, caller, params, body)),
    reject: async ({ caller, params, body }) => deps.linkIssues(await reject(deps, caller, params, body)),
    apps: ({ query }) => findApps(deps, query),
    changeApp: ({ caller, params, body }) => suspendApp(deps, caller, params.appId, body),
  }) satisfies Handlers;
