import { z } from 'zod';
import * as ratings from '../records/ratings.ts';
import { App, caching, quotaHeaders } from './parts.ts';
import { route } from './route.ts';

const Id = z.string().min(1).max(100).describe('Id of the review.');
const ReviewOfApp = App.extend({ id: Id });
const Named = z.object({ id: Id });

const INSTALL_ID = {
  'X-Svc-Install-Id': 'Install id of an installation of the app, if the body has none.',
};

/** Reviews of users, and replies of publishers. */
const writtenRoutes = {
  reviews: route.catalogue('GET /api/apps/:appId/reviews', {
    summary: 'Get the ratings and reviews of an app, newest first.',
    auth: 'none',
    params: App,
    query: ratings.ReviewsQuery,
    success: { status: 200, body: ratings.AppReviews },
    headers: { ...caching, Link: 'URL of the next page, `rel="next"`.' },
    errors: ['not_found'],
  }),
  myReview: route.catalogue('GET /api/apps/:appId/reviews/mine', {
    summary: 'Get your review of an app.',
    auth: 'person',
    params: App,
    success: { status: 200, body: ratings.MyReview },
    errors: ['not_found'],
  }),
  writeReview: route.catalogue('PUT /api/apps/:appId/reviews/mine', {
    summary: 'Review an app that you have installed, or edit your review.',
    auth: 'person',
    provenAddress: true,
    params: App,
    body: ratings.NewReview,
    takes: INSTALL_ID,
    success: { status: 200, body: ratings.MyReview },
    headers: quotaHeaders('reviews of one user'),
    errors: ['forbidden', 'not_found', 'rate_limited'],
  }),
  deleteReview: route.catalogue('DELETE /api/apps/:appId/reviews/mine', {
    summary: 'Delete your review of an app.',
    auth: 'person',
    params: App,
    success: { status: 200, body: ratings.MyReview },
    errors: ['not_found'],
  }),
  reply: route.publishers('PUT /api/apps/:appId/reviews/:id/reply', {
    summary: 'Reply to a review for the publisher, or edit the reply.',
    auth: 'person',
    params: ReviewOfApp,
    body: ratings.NewReply,
    success: { status: 200, body: ratings.AppReview },
    headers: quotaHeaders('replies of one user'),
    errors: ['not_found', 'not_a_member', 'rate_limited'],
  }),
  deleteReply: route.publishers('DELETE /api/apps/:appId/reviews/:id/reply', {
    summary: 'Delete a reply. Moderators may too.',
    auth: 'person',
    params: ReviewOfApp,
    success: { status: 200, body: ratings.AppReview },
    errors: ['not_found', 'not_a_member'],
  }),
  flagReview: route.catalogue('POST /api/apps/:appId/reviews/:id/flag', {
    summary: 'Flag a review for the moderators.',
    auth: 'person',
    params: ReviewOfApp,
    body: ratings.NewFlag,
    success: { status: 200, body: ratings.FlagTaken },
    headers: quotaHeaders('flags of one user'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  }),
};

/** Routes for moderators of reviews. */
const moderatedRoutes = {
  flaggedReviews: route.moderation('GET /api/moderation/reviews', {
    summary: 'List reviews that were flagged, or edited while hidden; oldest first.',
    auth: 'moderator',
    query: ratings.ReviewsQuery,
    success: { status: 200, body: ratings.FlaggedReviews },
  }),
  hideReview: route.moderation('POST /api/moderation/reviews/:id/hide', {
    summary: 'Hide a review, and remove its stars from the average.',
    auth: 'moderator',
    params: Named,
    body: ratings.Hiding,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  }),
  keepReview: route.moderation('POST /api/moderation/reviews/:id/keep', {
    summary: 'Keep a review, or show a hidden one again.',
    auth: 'moderator',
    params: Named,
    body: ratings.Keeping,
    optionalBody: true,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  }),
};

export const ratingsRoutes = { ...writtenRoutes, ...moderatedRoutes } as const;
