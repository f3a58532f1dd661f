import { InstallId, LIMITS } from '@svc/contracts';
import type { RouteHandler } from '../../access/bind-route.ts';
import { setRateLimitHeaders } from '../../access/rate-limit-headers.ts';
import { personOf } from '../../access/signed-in.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { etagOf } from '../../platform/etag.ts';
import type { InstallStore } from '../installs/install-store.ts';
import { type FlagDeps, flagReview } from './flag-review.ts';
import { decideReview, type FlaggedDeps, flaggedReviews, type ModerateDeps } from './moderate.ts';
import { myReview, reviewsOf } from './read-reviews.ts';
import { deleteReply, type ReplyDeps, reply } from './reply.ts';
import { deleteReview, type WriteDeps, writeReview } from './write-review.ts';

type RatingDeps = WriteDeps &
  ReplyDeps &
  FlagDeps &
  ModerateDeps &
  FlaggedDeps &
  Pick<Parts, 'listings' | 'appStats' | 'baseUrl'> & { installs: InstallStore };

/** Personal content and content for moderators must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

const reviews =
  (deps: RatingDeps): RouteHandler<'reviews'> =>
  async (c, { params, query }) => {
    const page = await reviewsOf(deps, params.appId, query);
    const body = Buffer.from(JSON.stringify(page));
    const next = new URLSearchParams({ ...c.req.query(), cursor: page.nextCursor ?? '' });
    const address = `${deps.baseUrl}/api/apps/${encodeURIComponent(params.appId)}/reviews`;
    return sendCacheable(c, body, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': publicFor(LIMITS.ratings.cacheSeconds),
      ETag: etagOf(body),
      ...(page.nextCursor && { Link: `<${address}?${next}>; rel="next"` }),
    });
  };

/** The installation id in the header of a client; a malformed one is ignored, as for a download. */
const headerId = (value: string | undefined): string | null => InstallId.safeParse(value).data ?? null;

const ownRoutes = (deps: RatingDeps) => ({
  myReview: (async (c, { params }) =>
    c.json(
      await myReview(deps, personOf(c), params.appId),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'myReview'>,
  writeReview: (async (c, { params, body: { installId, ...written } }) => {
    const id = installId ?? headerId(c.req.header('x-svc-install-id'));
    setRateLimitHeaders(c, await writeReview(deps, personOf(c), params.appId, written, id));
    return c.json(await myReview(deps, personOf(c), params.appId), 200, NO_STORE);
  }) satisfies RouteHandler<'writeReview'>,
  deleteReview: (async (c, { params }) => {
    await deleteReview(deps, personOf(c), params.appId);
    return c.json({ review: null, installed: true }, 200, NO_STORE);
  }) satisfies RouteHandler<'deleteReview'>,
});

const moderatedRoutes = (deps: RatingDeps) => ({
  flaggedReviews: (async (c, { query }) =>
    c.json(await flaggedReviews(deps, query), 200, NO_STORE)) satisfies RouteHandler<'flaggedReviews'>,
  hideReview: (async (c, { params, body }) =>
    c.json(
      await decideReview(deps, c.get('caller'), params.id, 'hidden', body.note),
    )) satisfies RouteHandler<'hideReview'>,
  keepReview: (async (c, { params, body }) =>
    c.json(
      await decideReview(deps, c.get('caller'), params.id, 'shown', body.note ?? ''),
    )) satisfies RouteHandler<'keepReview'>,
});

export const ratingRoutes = (deps: RatingDeps) => ({
  ...ownRoutes(deps),
  ...moderatedRoutes(deps),
  reviews: reviews(deps),
  reply: (async (c, { params, body }) => {
    const { review, quota } = await reply(deps, personOf(c), params, body.body);
    setRateLimitHeaders(c, quota);
    return c.json(review);
  }) satisfies RouteHandler<'reply'>,
  deleteReply: (async (c, { params }) =>
    c.json(await deleteReply(deps, personOf(c), params))) satisfies RouteHandler<'deleteReply'>,
  flagReview: (async (c, { params, body }) => {
    setRateLimitHeaders(c, await flagReview(deps, personOf(c), params, body));
    return c.json({ flagged: true as const });
  }) satisfies RouteHandler<'flagReview'>,
});
