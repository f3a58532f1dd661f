import type { MiddlewareHandler } from 'hono';
import type { ClientAddress } from '../../http/client-address.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { RequestLine, RequestLog } from '../../platform/system.ts';
import type { BrandBook } from '../domain/brand/brand.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { Env } from './context.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

export type Observers = {
  logRequest: RequestLog;
  metrics: Pick<Metrics, 'request'>;
  clientAddress: ClientAddress;
};

/**
 * Logs a request, and counts it in the metrics.
 * @param started when it began, as of `performance.now()`
 */
export function reportRequest(
  { logRequest, metrics }: Omit<Observers, 'clientAddress'>,
  line: RequestLine,
  started: number,
): void {
  const ms = performance.now() - started;
  logRequest(line, ms);
  metrics.request(line, ms / 1000);
}

/**
 * Creates middleware that sets the id of each request and the brand of the store, and logs the request.
 * @param onChange called after every request that may have changed data
 */
export const observe =
  (
    deps: Observers & { brandBook: Pick<BrandBook, 'now'>; newId(): string; onChange(): void },
  ): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = performance.now();
    const requestId = deps.newId();
    const { method } = c.req;
    const address = deps.clientAddress(c.env?.incoming);
    c.set('requestId', requestId);
    c.set('address', address);
    c.set('brand', deps.brandBook.now());
    await next();
    c.header('X-Request-Id', requestId);
    // A refused request has changed nothing; a caller without rights must not be able to invalidate the caches.
    const isRefused = c.res.status >= 400 && c.res.status < 500;
    if (!READING.has(method) && !isRefused) deps.onChange();
    const route = c.get('route') ?? 'none';
    const actor = (c.get('caller') as Caller | undefined)?.name;
    const line = { requestId, address, method, route, status: c.res.status, ...(actor && { actor }) };
    reportRequest(deps, line, started);
  };
