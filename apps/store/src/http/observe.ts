import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Log } from '../platform/ambient.ts';
import type { Env } from './context.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Gives each request an id and a line in the log. The line holds the route's pattern, not the address: what a client
 * put into the path or the query, or sent as a header, is never logged.
 * @param onChange called after every request that may have changed something
 */
export const observe =
  (deps: { log: Log; newRequestId(): string; onChange(): void }): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = performance.now();
    const requestId = deps.newRequestId();
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    if (!READING.has(c.req.method)) deps.onChange();
    const ms = Math.round((performance.now() - started) * 10) / 10;
    deps.log.info(
      { requestId, method: c.req.method, route: routePath(c, -1), status: c.res.status, ms },
      'request',
    );
  };
