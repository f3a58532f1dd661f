import { PublicKey, PublicKeys, RevocationList } from '../records/keys.ts';
import { caching } from './parts.ts';
import type { Route } from './route.ts';

/** What clients verify with. */
export const keysRoutes = {
  publicKey: {
    method: 'get',
    path: '/api/apps/public-key',
    tag: 'Keys',
    summary: 'The key that checks what the store signs.',
    auth: 'none',
    success: { status: 200, body: PublicKey },
    headers: caching,
    errors: [],
  },
  publicKeys: {
    method: 'get',
    path: '/api/apps/public-keys',
    tag: 'Keys',
    summary: 'Every key the store has signed with, each signed by the one before it.',
    auth: 'none',
    success: { status: 200, body: PublicKeys },
    headers: caching,
    errors: [],
  },
  revocations: {
    method: 'get',
    path: '/api/apps/revocations',
    tag: 'Keys',
    summary: 'The withdrawn versions, as a list signed with the current key at least once an hour.',
    auth: 'none',
    success: { status: 200, body: RevocationList },
    headers: caching,
    errors: [],
  },
} as const satisfies Record<string, Route>;
