import { z } from 'zod';
import * as ratings from '../records/ratings.ts';
import { App, caching, quotaHeaders } from './parts.ts';
import type { Route } from './route.ts';

const Id = z.string().min(1).max(100).describe('Id of the review.');
const ReviewOfApp = App.extend({ id: Id });
const Named = z.object({ id: Id });

const INSTALL_ID = {
  'X-Svc-Install-Id': 'Of an installation of the app, when the body names none.',
};

/** What people say of apps, and publishers to that. */
const writtenRoutes = {
  reviews: {
    method: 'get',
    path: '/api/apps/:appId/reviews',
    tag: 'Catalogue',
    summary: 'How an app is rated, and what people say of it, newest first.',
    auth: 'none',
    params: App,
    query: ratings.ReviewsQuery,
    success: { status: 200, body: ratings.AppReviews },
    headers: { ...caching, Link: 'Address of the next page, `rel="next"`.' },
    errors: ['not_found'],
  },
  myReview: {
    method: 'get',
    path: '/api/apps/:appId/reviews/mine',
    tag: 'Catalogue',
    summary: 'What you say of an app.',
    auth: 'person',
    params: App,
    success: { status: 200, body: ratings.MyReview },
    errors: ['not_found'],
  },
  writeReview: {
    method: 'put',
    path: '/api/apps/:appId/reviews/mine',
    tag: 'Catalogue',
    summary: 'Rate an app that you have installed, or change what you said of it.',
    auth: 'person',
    params: App,
    body: ratings.NewReview,
    takes: INSTALL_ID,
    success: { status: 200, body: ratings.MyReview },
    headers: quotaHeaders('reviews of one person'),
    errors: ['forbidden', 'not_found', 'rate_limited'],
  },
  deleteReview: {
    method: 'delete',
    path: '/api/apps/:appId/reviews/mine',
    tag: 'Catalogue',
    summary: 'Take back what you said of an app.',
    auth: 'person',
    params: App,
    success: { status: 200, body: ratings.MyReview },
    errors: ['not_found'],
  },
  reply: {
    method: 'put',
    path: '/api/apps/:appId/reviews/:id/reply',
    tag: 'Publishers',
    summary: 'Answer a review in the name of the publisher, or change the answer.',
    auth: 'person',
    params: ReviewOfApp,
    body: ratings.NewReply,
    success: { status: 200, body: ratings.AppReview },
    headers: quotaHeaders('answers of one person'),
    errors: ['not_found', 'not_a_member', 'rate_limited'],
  },
  deleteReply: {
    method: 'delete',
    path: '/api/apps/:appId/reviews/:id/reply',
    tag: 'Publishers',
    summary: 'Take an answer back. Moderators may too.',
    auth: 'person',
    params: ReviewOfApp,
    success: { status: 200, body: ratings.AppReview },
    errors: ['not_found', 'not_a_member'],
  },
  flagReview: {
    method: 'post',
    path: '/api/apps/:appId/reviews/:id/flag',
    tag: 'Catalogue',
    summary: 'Ask moderators to look at a review.',
    auth: 'person',
    params: ReviewOfApp,
    body: ratings.NewFlag,
    success: { status: 200, body: ratings.FlagTaken },
    headers: quotaHeaders('flags of one person'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;

/** What moderators do with it. */
const moderatedRoutes = {
  flaggedReviews: {
    method: 'get',
    path: '/api/moderation/reviews',
    tag: 'Moderation',
    summary:
      'Reviews of apps that a person flagged, or that were edited after they were hidden: oldest first.',
    auth: 'moderator',
    query: ratings.ReviewsQuery,
    success: { status: 200, body: ratings.FlaggedReviews },
    errors: [],
  },
  hideReview: {
    method: 'post',
    path: '/api/moderation/reviews/:id/hide',
    tag: 'Moderation',
    summary: 'Hide a review, and take its stars out of the average.',
    auth: 'moderator',
    params: Named,
    body: ratings.Hiding,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  },
  keepReview: {
    method: 'post',
    path: '/api/moderation/reviews/:id/keep',
    tag: 'Moderation',
    summary: 'Let a review stand, or show it again.',
    auth: 'moderator',
    params: Named,
    body: ratings.Keeping,
    optionalBody: true,
    success: { status: 200, body: ratings.ModeratedReview },
    errors: ['forbidden', 'not_found', 'already_handled'],
  },
} as const satisfies Record<string, Route>;

export const ratingsRoutes = { ...writtenRoutes, ...moderatedRoutes } as const;
