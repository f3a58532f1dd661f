import { LIMITS, type ReviewClock, reviewReasonText, type VersionStatus } from '@svc/contracts';
import { spanText } from '@svc/text/quantity';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { besides } from '../../http/shell.ts';
import { table } from '../../http/table.ts';
import { ApiError } from '../../platform/api-error.ts';
import { OverrunError } from '../../platform/overrun-error.ts';
import { consume, count, currentQuota, type Quota, quotaOf } from '../../platform/rate.ts';
import type { Handlers, RouteHandler } from '../access/bind-route.ts';
import { type Env, setRateLimitHeaders } from '../access/context.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { isWithheld } from '../domain/identity/suspension.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { placeInQueue, type ReviewPeriod } from '../domain/versions/review-clock.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion, statusOf } from '../domain/versions/version-status.ts';
import type { UploadBounds } from './bounds.ts';
import { confirmVersion } from './confirm-version.ts';
import type { BundleInspector } from './inspection-queues.ts';
import { createIntake, tooLarge } from './intake.ts';
import { overrunRefusal, type PublishDeps, publish } from './publish.ts';
import { listedAs, statusPage } from './status-page.ts';
import { retractVersion, type YankDeps, yankVersion } from './yank-version.ts';

type QuotaDeps = Pick<Parts, 'unitOfWork' | 'clock'> & {
  /** The quota of each developer. */
  uploadQuota: { uploads: number; minutes: number };
};

/** Uses the quota of a developer. Automation has none. */
async function within(
  { unitOfWork, uploadQuota, clock }: QuotaDeps,
  caller: Caller,
  use: typeof consume,
): Promise<Quota> {
  const rate = { what: 'uploads', limit: uploadQuota.uploads, windowMs: uploadQuota.minutes * 60_000 };
  if (caller.kind === 'automation') return quotaOf(rate, [], clock());
  return unitOfWork(({ rateLimits }) => use({ rateLimits, clock }, rate, `upload ${caller.name}`));
}

/**
 * Counts an upload against the quota of its developer, whether it succeeds or not.
 * @returns the remaining quota
 * @throws ApiError rate_limited, with the seconds to wait
 */
const consumeUploadQuota = (deps: QuotaDeps, caller: Caller): Promise<Quota> => within(deps, caller, consume);

/**
 * Counts an expensive upload as several.
 * @param uploads how many to count in addition to the first
 * @returns the remaining quota
 */
const countUploads = (deps: QuotaDeps, caller: Caller, uploads: number): Promise<Quota> =>
  within(deps, caller, async (...of) => {
    for (let n = 0; n < uploads; n += 1) await count(...of);
    return currentQuota(...of);
  });

/**
 * The status of a version for its developer; while in review, with the reasons and its place in the queue.
 * @throws ApiError not_found
 */
async function followVersion(
  deps: Pick<Parts, 'versions' | 'reviews' | 'clock' | 'publishers' | 'apps' | 'people'> & {
    policy: ReviewPeriod;
    reviewClock: () => Promise<ReviewClock>;
  },
  ref: VersionRef,
): Promise<VersionStatus> {
  const record = await requireVersion(deps.versions, ref);
  const state = record.state === 'in_review' ? await deps.reviews.reviewState(ref) : null;
  // Null when the version was decided after it was read: then the response has the earlier state, without a place.
  const review = state && (await placeInQueue(deps, state));
  const changesRequestedAt = state?.changesRequestedAt ?? null;
  const isHeld = record.state === 'in_review' && (await isWithheld(deps, record));
  return {
    ...statusOf(record),
    ...(isHeld && { held: true as const }),
    ...(review && { reasons: record.reasons, review }),
    ...(record.awaitsConfirmation && { reasons: record.reasons }),
    ...(changesRequestedAt !== null && { changesRequestedAt }),
  };
}

const spanOf = (ms: number | null): string => (ms === null ? 'too few decisions' : spanText(ms));

const COLUMNS = ['Waiting', 'Half within', 'Nine of ten within', 'Decisions'] as const;

function row(
  label: string,
  { waiting, decisions, medianMs, p90Ms }: Omit<ReviewClock, 'reasons' | 'oldestAt'>,
): Html {
  const cells = [waiting, spanOf(medianMs), spanOf(p90Ms), decisions];
  return html`<tr><th scope="row">${label}</th>${cells.map((cell, n) => html`<td data-label="${COLUMNS[n]}">${cell}</td>`)}</tr>`;
}

const REPORT: [string, string][] = [['/transparency', 'Transparency report']];

/** How long reviews take, as a page. @param has the routes that the store has */
function reviewClockPage(clock: ReviewClock, has: Parts['routeNames']): Page {
  const { oldestAt, reasons } = clock;
  const body = html`<main>
    <section>
      <h1>Review times</h1>
      <p>How long versions waited for a moderator in the last 90 days.${oldestAt === null ? '' : html` The one that waits longest was uploaded <time datetime="${oldestAt}">${oldestAt.slice(0, 10)}</time>.`}</p>
      ${table(
        'Review times',
        ['Reason', ...COLUMNS],
        [row('All', clock), ...reasons.map((one) => row(reviewReasonText(one.reason), one))],
      )}
      <p class="hint">Times are shown from 20 decisions on.${has.has('docsPage') ? html` <a href="/docs/publishing">What is reviewed</a>` : ''}</p>
    </section>
  </main>${besides([['/policy', 'Policy'], ...(has.has('transparencyPage') ? REPORT : [])])}`;
  const crumbs = [['Policy', '/policy'], ['Review times']] as const;
  return { title: 'Review times', crumbs, body, isText: true, isWide: true };
}

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
  YankDeps &
  Pick<
    Parts,
    | 'routeNames'
    | 'linkIssues'
    | 'reviews'
    | 'versions'
    | 'unitOfWork'
    | 'publishers'
    | 'apps'
    | 'people'
    | 'listings'
    | 'addresses'
  > & {
    policy: ReviewPeriod;
    uploadQuota: QuotaDeps['uploadQuota'];
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
      if (!c.get('isPage')) return status;
      const app = await listedAs(deps, params.appId);
      return sendPage(c, statusPage(status, app, deps.routeNames.has('appPage')));
    },
    reviewClock: async (_request, c) => {
      const clock = await deps.reviewClock();
      return c.get('isPage')
        ? sendPage(c, reviewClockPage(clock, deps.routeNames))
        : c.json(clock, 200, { 'Cache-Control': 'public, max-age=60' });
    },
    confirmVersion: async ({ caller, params, body }) =>
      deps.linkIssues(await confirmVersion(deps, caller, params, body.sha256)),
    retractVersion: async ({ caller, params }) => deps.linkIssues(await retractVersion(deps, caller, params)),
    yank: async ({ caller, params, body }, c) => {
      const { status, quota } = await yankVersion(deps, caller, params, body);
      if (quota) setRateLimitHeaders(c, quota);
      return deps.linkIssues(status);
    },
  }) satisfies Handlers;
