import type { Context } from 'hono';
import type { Quota } from '../platform/rate.ts';
import type { Env } from './context.ts';

/** The header fields of a quota (draft-ietf-httpapi-ratelimit-headers). */
export const quotaFields = ({ name, limit, windowSeconds, remaining, resetSeconds }: Quota) => ({
  'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});

export function setRateLimitHeaders(c: Context<Env>, quota: Quota): void {
  for (const [name, value] of Object.entries(quotaFields(quota))) c.header(name, value);
}
