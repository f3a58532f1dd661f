import * as relay from '../records/relay.ts';
import type { Route } from './route.ts';

/** How an app's sign-in comes back from a browser to the client that began it. */
export const relayRoutes = {
  relayCallback: {
    method: 'get',
    path: '/apps/oauth/callback',
    tag: 'Relay',
    summary:
      'Where OAuth servers send browsers back to. Keeps the answer for five minutes; the first one counts.',
    auth: 'none',
    page: true,
    secretAddress: true,
    query: relay.RelayCallback,
    success: { status: 200, type: 'text/html' },
    errors: ['rate_limited'],
  },
  relayClient: {
    method: 'get',
    path: '/apps/oauth/client.json',
    tag: 'Relay',
    summary:
      'Client ID metadata document: its address is the client id of this store’s clients at OAuth servers that take one.',
    auth: 'none',
    success: { status: 200, body: relay.ClientMetadata },
    headers: { 'Cache-Control': 'An hour.' },
    errors: [],
  },
  relayResult: {
    method: 'get',
    path: '/api/apps/oauth/result',
    tag: 'Relay',
    summary: 'What came back, once.',
    auth: 'none',
    closed: true,
    query: relay.RelayQuery,
    success: { status: 200, body: relay.RelayResult },
    errors: [],
  },
} as const satisfies Record<string, Route>;
