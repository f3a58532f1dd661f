import type { RouteHandler } from '../http/bind-route.ts';
import type { Clock, RandomBytes } from '../platform/ambient.ts';
import type { PublisherStore } from '../publishers/publisher-store.ts';
import { issueToken } from './issue-token.ts';
import type { TokenStore } from './token-store.ts';

/** How tokens come to be. */
export const tokenRoutes = (deps: {
  tokens: TokenStore;
  publishers: PublisherStore;
  clock: Clock;
  random: RandomBytes;
}) => ({
  issueToken: (async (c, { body }) =>
    c.json(await issueToken(deps, body), 201, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'issueToken'>,
});
