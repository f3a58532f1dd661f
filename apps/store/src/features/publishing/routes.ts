import { LIMITS, type ReviewClock } from '@svc/contracts';
import type { Context } from 'hono';
import type { Handlers, RouteHandler } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import { setRateLimitHeaders } from '../../access/rate-limit-headers.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { ReviewPeriod } from '../../domain/versions/place-in-queue.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import { OverrunError } from '../../platform/overrun-error.ts';
import type { RateLimitStore } from '../../platform/rate.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { overrunRefusal } from './admit-bundle.ts';
import type { UploadBounds } from './bounds.ts';
import { type ConfirmDeps, confirmVersion } from './confirm-version.ts';
import { followVersion } from './follow-version.ts';
import type { BundleInspector } from './inspection-queues.ts';
import { createIntake } from './intake.ts';
import { type PublishDeps, publish } from './publish.ts';
import { tooLarge } from './receive-body.ts';
import { type RetractDeps, retractVersion } from './retract-version.ts';
import { reviewClockPage } from './review-clock-page.ts';
import { statusPage } from './status-page.ts';
import { consumeUploadQuota, countUploads } from './upload-quota.ts';
import { type YankDeps, yankVersion } from './yank-version.ts';

const ZIP_TYPES = ['application/zip', 'application/x-zip-compressed', 'application/octet-stream'];

/** Refuses an upload by its headers, before the body is read. */
function requireZip(c: Context<Env>, headBytes: number): void {
  const length = Number(c.req.header('content-length') ?? Number.NaN);
  if (length > LIMITS.bundle.bytes + headBytes) {
    throw tooLarge();
  }
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (length === 0 || type === undefined || ZIP_TYPES.includes(type)) return;
  throw new ApiError('unsupported_media_type', 'Send the bundle as application/zip.');
}

/**
 * The body as a stream. Read directly from the socket where possible: a web stream would add half to the cost. Stopping early must
 * not destroy the request, or the client could not read the error.
 */
const bodyOf = (c: Context<Env>): AsyncIterable<Uint8Array> | null =>
  c.env?.incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;

type RouteDeps = PublishDeps &
  ConfirmDeps &
  YankDeps &
  RetractDeps &
  Pick<Parts, 'linkIssues' | 'reviews' | 'versions'> & {
    policy: ReviewPeriod;
    unitOfWork: UnitOfWork<{ rateLimits: RateLimitStore }>;
    reviewClock: () => Promise<ReviewClock>;
    inspector: BundleInspector;
    uploadBounds: UploadBounds;
  };

const publishRoute = (deps: RouteDeps): RouteHandler<'publish'> => {
  const intake = createIntake(deps.inspector, deps.uploadBounds);
  /** Counts an upload that exceeded the limits as several, and refuses it. */
  const refuseOverrun = async (c: Context<Env>, error: unknown): Promise<never> => {
    if (!(error instanceof OverrunError)) throw error;
    const caller = c.get('caller');
    deps.log.warn({ err: error, actor: caller.name }, 'The inspection of an upload exceeded its limits.');
    const quota = await countUploads(deps, caller, deps.uploadBounds.overrunUploads - 1);
    setRateLimitHeaders(c, quota);
    throw overrunRefusal(error);
  };
  return async ({ caller, query }, c) => {
    const { attestation = 0 } = query;
    requireZip(c, attestation);
    setRateLimitHeaders(c, await consumeUploadQuota(deps, caller));
    const options = { confirm: query.confirm === '1', attestation };
    const publishing = publish({ ...deps, intake }, caller, bodyOf(c), options);
    const result = await publishing.catch((error: unknown) => refuseOverrun(c, error));
    return deps.linkIssues(result);
  };
};

export const publishingRoutes = (deps: RouteDeps) =>
  ({
    publish: publishRoute(deps),
    versionStatus: async ({ params }, c) => {
      const status = deps.linkIssues(await followVersion(deps, params));
      return c.get('isPage') ? sendPage(c, statusPage(status)) : status;
    },
    reviewClock: async (_request, c) => {
      const clock = await deps.reviewClock();
      return c.get('isPage')
        ? sendPage(c, reviewClockPage(clock))
        : c.json(clock, 200, { 'Cache-Control': 'public, max-age=60' });
    },
    confirmVersion: async ({ caller, params, body }) =>
      deps.linkIssues(await confirmVersion(deps, caller, params, body.sha256)),
    retractVersion: async ({ caller, params }) => deps.linkIssues(await retractVersion(deps, caller, params)),
    yank: async ({ caller, params, body }) => deps.linkIssues(await yankVersion(deps, caller, params, body)),
  }) satisfies Handlers;
