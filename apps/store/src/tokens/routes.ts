import type { RouteHandler } from '../http/bind-route.ts';
import { type IssueDeps, issueToken } from './issue-token.ts';

/** How tokens come to be. */
export const tokenRoutes = (deps: IssueDeps) => ({
  issueToken: (async (c, { body }) =>
    c.json(await issueToken(deps, c.get('caller'), body), 201, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'issueToken'>,
});
