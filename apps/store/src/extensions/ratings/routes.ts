import { InstallId, LIMITS } from '@svc/contracts';
import type { RouteHandler } from '../../core/access/bind-route.ts';
import { setRateLimitHeaders } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { etagOf } from '../../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { decideReview, flaggedReviews, flagReview } from './moderate.ts';
import { myReview, reviewsOf } from './read-reviews.ts';
import { deleteReply, reply } from './reply.ts';
import { deleteReview, type RatingStores, type WriteDeps, writeReview } from './write-review.ts';

export type RatingDeps = RatingStores & WriteDeps & Pick<Parts, 'baseUrl'>;

const reviews =
  (deps: RatingDeps): RouteHandler<'reviews'> =>
  async ({ params, query }, c) => {
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

export const ratingRoutes = (deps: RatingDeps) =>
  ({
    myReview: ({ caller, params }) => myReview(deps, caller, params.appId),
    writeReview: async ({ caller, params, body: { installId, ...written } }, c) => {
      const id = installId ?? headerId(c.req.header('x-svc-install-id'));
      setRateLimitHeaders(c, await writeReview(deps, caller, params.appId, written, id));
      return myReview(deps, caller, params.appId);
    },
    deleteReview: async ({ caller, params }) => {
      await deleteReview(deps, caller, params.appId);
      return { review: null, installed: true };
    },
    flaggedReviews: ({ query }) => flaggedReviews(deps, query),
    hideReview: ({ caller, params, body }) => decideReview(deps, caller, params.id, 'hidden', body.note),
    keepReview: ({ caller, params, body }) => decideReview(deps, caller, params.id, 'shown', body.note ?? ''),
    reviews: reviews(deps),
    reply: async ({ caller, params, body }, c) => {
      const { review, quota } = await reply(deps, caller, params, body.body);
      setRateLimitHeaders(c, quota);
      return review;
    },
    deleteReply: ({ caller, params }) => deleteReply(deps, caller, params),
    flagReview: async ({ caller, params, body }, c) => {
      setRateLimitHeaders(c, await flagReview(deps, caller, params, body));
      return { flagged: true as const };
    },
  }) satisfies HandlersOf<'ratings'>;
