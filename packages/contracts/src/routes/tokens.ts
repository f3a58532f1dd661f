import { z } from 'zod';
import { PublisherSlug } from '../records/common.ts';
import * as tokens from '../records/tokens.ts';
import type { Route } from './route.ts';

const OfPublisher = z.object({ slug: PublisherSlug });

/** What people do with developer tokens, and what a token says of itself. */
export const tokenRoutes = {
  myTokens: {
    method: 'get',
    path: '/api/people/me/tokens',
    tag: 'Tokens',
    summary: 'My developer tokens that hold.',
    auth: 'person',
    success: { status: 200, body: tokens.TokenList },
    errors: [],
  },
  makeMyToken: {
    method: 'post',
    path: '/api/people/me/tokens',
    tag: 'Tokens',
    summary: 'Make a developer token that acts as a member wherever I am one. It is shown once.',
    auth: 'person',
    body: tokens.NewPersonalToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  },
  revokeMyToken: {
    method: 'delete',
    path: '/api/people/me/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token of mine, at once.',
    auth: 'person',
    params: tokens.TokenParam,
    success: { status: 200, body: tokens.RevokedToken },
    errors: ['not_found'],
  },
  publisherTokens: {
    method: 'get',
    path: '/api/publishers/:slug/tokens',
    tag: 'Tokens',
    summary: "A publisher's own tokens that hold. For its owners.",
    auth: 'person',
    params: OfPublisher,
    success: { status: 200, body: tokens.TokenList },
    errors: ['not_a_member'],
  },
  makePublisherToken: {
    method: 'post',
    path: '/api/publishers/:slug/tokens',
    tag: 'Tokens',
    summary:
      'Make a token that belongs to a publisher, for its automation. For its owners. It is shown once.',
    auth: 'person',
    params: OfPublisher,
    body: tokens.NewPublisherToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  },
  revokePublisherToken: {
    method: 'delete',
    path: '/api/publishers/:slug/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token of a publisher, at once. For its owners.',
    auth: 'person',
    params: z.object({ ...OfPublisher.shape, ...tokens.TokenParam.shape }),
    success: { status: 200, body: tokens.RevokedToken },
    errors: ['not_a_member', 'not_found'],
  },
  whoAmI: {
    method: 'get',
    path: '/api/developer/whoami',
    tag: 'Tokens',
    summary: 'Who I am to the store, and for which publishers I act.',
    auth: 'developer',
    success: { status: 200, body: tokens.WhoAmI },
    errors: [],
  },
  revokeThisToken: {
    method: 'delete',
    path: '/api/developer/token',
    tag: 'Tokens',
    summary: 'Revoke the token that is sent along, at once.',
    auth: 'developer',
    success: { status: 200, body: tokens.RevokedToken },
    errors: [],
  },
} as const satisfies Record<string, Route>;
