import { z } from 'zod';
import * as ratings from '../records/ratings.ts';
import { caching, quotaHeaders, route } from './route.ts';

const Named = z.object({ id: z.string().min(1).max(100).describe('Id of the review.') });

const INSTALL_ID = {
  'X-Svc-Install-Id': 'Install id of an installation of the app, if the body has none.',
};

/** Reviews of users, and replies of publishers. */
const writtenRoutes = {
  reviews: route.catalogue('members GET /api/apps/:appId/reviews', {
    summary: 'Get the ratings and reviews of an app.',
    query: ratings.ReviewsQuery,
    success: { status: 200, body: ratings.AppReviews },
    headers: { ...caching, Link: 'URL of the next page, `rel="next"`.' },
  }),
  myReview: route.catalogue('person GET /api/apps/:appId/reviews/mine', {
    summary: 'Get your review of an app.',
    success: { status: 200, body: ratings.MyReview },
  }),
  writeReview: route.catalogue('person PUT /api/apps/:appId/reviews/mine', {
    summary: 'Review an app that you have installed, or edit your review.',
    effects: ['writes'],
    provenAddress: true,
    body: ratings.NewReview,
    takes: INSTALL_ID,
    success: { status: 200, body: ratings.MyReview },
    headers: quotaHeaders('reviews of one user'),
    errors: ['forbidden', 'not_found', 'rate_limited'],
  }),
  deleteReview: route.catalogue('person DELETE /api/apps/:appId/reviews/mine', {
    summary: 'Delete your review of an app.',
    effects: ['writes'],
    success: { status: 200, body: ratings.MyReview },
  }),
  reply: route.publishers('person PUT /api/apps/:appId/reviews/:id/reply', {
    summary: 'Reply to a review for the publisher, or edit the reply.',
    effects: ['writes'],
    params: Named,
    body: ratings.NewReply,
    success: { status: 200, body: ratings.AppReview },
    headers: quotaHeaders('replies of one user'),
    errors: ['not_found', 'not_a_member', 'rate_limited'],
  }),
  deleteReply: route.publishers('person DELETE /api/apps/:appId/reviews/:id/reply', {
    summary: 'Delete a reply. Moderators may too.',
    effects: ['writes'],
    params: Named,
    success: { status: 200, body: ratings.AppReview },
    errors: ['not_found', 'not_a_member'],
  }),
  flagReview: route.catalogue('person POST /api/apps/:appId/reviews/:id/flag', {
    summary: 'Flag a review for the moderators.',
    effects: ['writes'],
    params: Named,
    body: ratings.NewFlag,
    success: { status: 200, body: ratings.FlagTaken },
    headers: quotaHeaders('flags of one user'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  }),
};

/** Routes for moderators of reviews. */
const moderatedRoutes = {
  flaggedReviews: route.moderation('moderator GET /api/moderation/reviews', {
    summary:
      'List reviews that were flagged, edited while hidden, or held as many new accounts wrote some; oldest first.',
    query: ratings.FlaggedQuery,
    success: { status: 200, body: ratings.FlaggedReviews },
  }),
  hideReview: route.moderation('moderator POST /api/moderation/reviews/:id/hide', {
    summary: 'Hide a review, and remove its stars from the average.',
    effects: ['decides'],
    params: Named,
    body: ratings.Hiding,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  }),
  keepReview: route.moderation('moderator POST /api/moderation/reviews/:id/keep', {
    summary: 'Keep a review, or show a hidden one again.',
    effects: ['decides'],
    params: Named,
    body: ratings.Keeping,
    optionalBody: true,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  }),
};

export const ratingsRoutes = { ...writtenRoutes, ...moderatedRoutes } as const;
