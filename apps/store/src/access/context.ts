import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Origin } from '../domain/audit/audit-log.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { Brand } from '../platform/brand.ts';

/** What a request carries through the handlers. */
export type Env = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    address: string | null;
    caller: Caller;
    /** What pages call the store. */
    brand: Brand;
    route?: string;
    isPage?: boolean;
    /** Whether the address holds a secret, so that the page runs no script. */
    hasSecretAddress?: boolean;
  };
};

/** Where a request comes from, as it goes on record. */
export const originOf = (c: Context<Env>): Origin => ({
  address: c.get('address'),
  requestId: c.get('requestId'),
});
