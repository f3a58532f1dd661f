import { AppHead, AppHeadQuery, PublicKey, PublicKeys, RevocationList } from '../records/keys.ts';
import { App, caching } from './parts.ts';
import { route } from './route.ts';

/** Keys and the revocation list, with which clients verify apps. */
export const keysRoutes = {
  publicKey: route.keys('GET /api/apps/public-key', {
    summary: 'Get the current public key of the store.',
    auth: 'none',
    success: { status: 200, body: PublicKey },
    headers: caching,
  }),
  publicKeys: route.keys('GET /api/apps/public-keys', {
    summary: 'List all public keys of the store, each signed by the previous one.',
    auth: 'none',
    success: { status: 200, body: PublicKeys },
    headers: caching,
  }),
  revocations: route.keys('GET /api/apps/revocations', {
    summary: 'Get the list of yanked versions, signed with the current key at least once an hour.',
    auth: 'none',
    success: { status: 200, body: RevocationList },
    headers: caching,
  }),
  appHead: route.keys('GET /api/apps/:appId/head', {
    summary: 'Get the signed statement of the latest version of an app, and of all its versions.',
    auth: 'none',
    params: App,
    query: AppHeadQuery,
    success: { status: 200, body: AppHead },
    headers: caching,
    errors: ['not_found'],
  }),
};
