import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Brand } from '../../platform/brand.ts';
import type { Quota } from '../../platform/rate.ts';
import type { Origin } from '../domain/audit/audit-log.ts';
import type { Caller } from '../domain/identity/caller.ts';

/** The header fields of a quota (draft-ietf-httpapi-ratelimit-headers). */
export const quotaFields = ({ name, limit, windowSeconds, remaining, resetSeconds }: Quota) => ({
  'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});

export function setRateLimitHeaders(c: Context<Env>, quota: Quota): void {
  for (const [name, value] of Object.entries(quotaFields(quota))) c.header(name, value);
}

/** The environment and the variables of a request in Hono. */
export type Env = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    address: string | null;
    caller: Caller;
    /** The name and the logo of the store, for pages. */
    brand: Brand;
    route?: string;
    isPage?: boolean;
    /** Whether errors have `error` too. */
    hasErrorField?: boolean;
    /** Whether errors are those of SCIM too. */
    isScim?: boolean;
    /** Whether the URL contains a secret, so that the page runs no script. */
    hasSecretAddress?: boolean;
  };
};

/** The origin of a request for the audit log. */
export const originOf = (c: Context<Env>): Origin => ({
  address: c.get('address'),
  requestId: c.get('requestId'),
});
