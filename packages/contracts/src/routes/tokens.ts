import { z } from 'zod';
import { PublisherSlug } from '../records/common.ts';
import * as tokens from '../records/tokens.ts';
import type { Route } from './route.ts';

const OfPublisher = z.object({ slug: PublisherSlug });

/** Routes to manage developer tokens. */
export const tokenRoutes = {
  myTokens: {
    method: 'get',
    path: '/api/people/me/tokens',
    tag: 'Tokens',
    summary: 'List your valid developer tokens.',
    auth: 'person',
    success: { status: 200, body: tokens.TokenList },
    errors: [],
  },
  makeMyToken: {
    method: 'post',
    path: '/api/people/me/tokens',
    tag: 'Tokens',
    summary: 'Create a developer token that acts as a member of your publishers. It is shown once.',
    auth: 'person',
    freshProof: true,
    provenAddress: true,
    body: tokens.NewPersonalToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  },
  revokeMyToken: {
    method: 'delete',
    path: '/api/people/me/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token of yours. It stops working immediately.',
    auth: 'person',
    params: tokens.TokenParam,
    success: { status: 200, body: tokens.RevokedToken },
    errors: ['not_found'],
  },
  publisherTokens: {
    method: 'get',
    path: '/api/publishers/:slug/tokens',
    tag: 'Tokens',
    summary: 'List the valid tokens of a publisher, for its owners.',
    auth: 'person',
    params: OfPublisher,
    success: { status: 200, body: tokens.TokenList },
    errors: ['not_a_member'],
  },
  makePublisherToken: {
    method: 'post',
    path: '/api/publishers/:slug/tokens',
    tag: 'Tokens',
    summary: 'Create a token of a publisher for its automation, for its owners. It is shown once.',
    auth: 'person',
    freshProof: true,
    provenAddress: true,
    params: OfPublisher,
    body: tokens.NewPublisherToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  },
  revokePublisherToken: {
    method: 'delete',
    path: '/api/publishers/:slug/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token of a publisher, for its owners. It stops working immediately.',
    auth: 'person',
    params: z.object({ ...OfPublisher.shape, ...tokens.TokenParam.shape }),
    success: { status: 200, body: tokens.RevokedToken },
    errors: ['not_a_member', 'not_found'],
  },
  whoAmI: {
    method: 'get',
    path: '/api/developer/whoami',
    tag: 'Tokens',
    summary: 'Get the caller, and the publishers that the caller acts for.',
    auth: 'developer',
    success: { status: 200, body: tokens.WhoAmI },
    errors: [],
  },
  revokeThisToken: {
    method: 'delete',
    path: '/api/developer/token',
    tag: 'Tokens',
    summary: 'Revoke the token of the request. It stops working immediately.',
    auth: 'developer',
    success: { status: 200, body: tokens.RevokedToken },
    errors: [],
  },
} as const satisfies Record<string, Route>;
