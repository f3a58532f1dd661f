import type { Context } from 'hono';
import type { Quota } from '../platform/rate.ts';
import type { Env } from './context.ts';

/**
 * Says in the header what is left of a rate: fields of draft-ietf-httpapi-ratelimit-headers.
 * @param name what is counted, in one word
 */
export function tellQuota(
  c: Context<Env>,
  name: string,
  { limit, windowSeconds, remaining, resetSeconds }: Quota,
): void {
  c.header('RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`);
  c.header('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}
