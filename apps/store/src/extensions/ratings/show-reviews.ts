import type { AppDetail, AppReview, ReviewOrder } from '@svc/contracts';
import { raw } from 'hono/html';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { Html } from '../../http/html.ts';
import type { SafeRenderer } from '../../platform/renderer.ts';
import type { RatingStore } from './rating-store.ts';
import { reviewsOf } from './read-reviews.ts';
import { type ReviewShown, reviewsSection } from './reviews-section.ts';

export type SectionDeps = Pick<Parts, 'listings' | 'appStats' | 'renderer'> & { ratings: RatingStore };

const REVIEWS_A_PAGE = 10;

async function presentReview(renderer: SafeRenderer, review: AppReview): Promise<ReviewShown> {
  const { id, author, rating, title, version, updatedAt, reply } = review;
  return {
    id,
    author: author.name,
    stars: rating,
    title,
    version,
    updatedAt,
    body: raw(await renderer.review(review.body)),
    reply: reply ? { body: raw(await renderer.review(reply.body)), updatedAt: reply.updatedAt } : null,
  };
}

/**
 * Loads a page of the reviews of an app, as the section of the app's page.
 * @throws ApiError not_found; invalid_request for an invalid cursor
 */
export async function showReviews(
  deps: SectionDeps,
  app: AppDetail,
  { reviews: cursor, sort = 'newest' }: { reviews?: string | undefined; sort?: ReviewOrder | undefined },
): Promise<Html> {
  const page = { limit: REVIEWS_A_PAGE, sort, ...(cursor !== undefined && { cursor }) };
  const { rating, reviews, nextCursor: next } = await reviewsOf(deps, app.appId, page);
  const shown = await Promise.all(reviews.map((review) => presentReview(deps.renderer, review)));
  return reviewsSection(app, { ...rating, reviews: shown, sort, next });
}
