import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../tokens/caller.ts';

/** What a request carries through the handlers. */
export type Env = {
  Bindings: HttpBindings;
  Variables: { requestId: string; address: string | null; caller: Caller; route?: string; isPage?: boolean };
};
