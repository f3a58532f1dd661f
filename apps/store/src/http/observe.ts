import type { MiddlewareHandler } from 'hono';
import type { Metrics } from '../operations/metrics.ts';
import type { Log } from '../platform/ambient.ts';
import type { Env } from './context.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What the log says of a request. */
export type RequestLine = { requestId: string; method: string; route: string; status: number };

/** Where it is told what requests came to. */
export type Observers = { log: Log; metrics: Pick<Metrics, 'request'> };

/**
 * Puts a line about a request into the log, and counts it. The line holds the route's pattern, not the address: what a client put into the
 * path or the query, or sent as a header, is never logged.
 * @param started when it began, by `performance.now()`
 */
export function tellRequest({ log, metrics }: Observers, line: RequestLine, started: number): void {
  const ms = performance.now() - started;
  log.info({ ...line, ms: Math.round(ms * 10) / 10 }, 'request');
  metrics.request(line, ms / 1000);
}

/**
 * Gives each request an id and a line in the log.
 * @param onChange called after every request that may have changed something
 */
export const observe =
  (deps: Observers & { newId(): string; onChange(): void }): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = performance.now();
    const requestId = deps.newId();
    const { method } = c.req;
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    if (!READING.has(method)) deps.onChange();
    const route = c.get('route') ?? 'none';
    tellRequest(deps, { requestId, method, route, status: c.res.status }, started);
  };
