import { AppHead, AppHeadQuery, PublicKey, PublicKeys, RevocationList } from '../records/keys.ts';
import { App, caching } from './parts.ts';
import type { Route } from './route.ts';

/** Keys and the revocation list, with which clients verify apps. */
export const keysRoutes = {
  publicKey: {
    method: 'get',
    path: '/api/apps/public-key',
    tag: 'Keys',
    summary: 'Get the current public key of the store.',
    auth: 'none',
    success: { status: 200, body: PublicKey },
    headers: caching,
    errors: [],
  },
  publicKeys: {
    method: 'get',
    path: '/api/apps/public-keys',
    tag: 'Keys',
    summary: 'List all public keys of the store, each signed by the previous one.',
    auth: 'none',
    success: { status: 200, body: PublicKeys },
    headers: caching,
    errors: [],
  },
  revocations: {
    method: 'get',
    path: '/api/apps/revocations',
    tag: 'Keys',
    summary: 'Get the list of yanked versions, signed with the current key at least once an hour.',
    auth: 'none',
    success: { status: 200, body: RevocationList },
    headers: caching,
    errors: [],
  },
  appHead: {
    method: 'get',
    path: '/api/apps/:appId/head',
    tag: 'Keys',
    summary: 'Get the signed statement of the latest version of an app, and of all its versions.',
    auth: 'none',
    params: App,
    query: AppHeadQuery,
    success: { status: 200, body: AppHead },
    headers: caching,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>;
