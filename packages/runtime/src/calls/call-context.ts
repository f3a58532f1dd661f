import { AsyncLocalStorage } from 'node:async_hooks';
import type { TimeLimit } from '../platform/within-time.ts';

/** The call that a request belongs to. Requests that the MCP client sends itself belong to the call that caused them. */
export type CallContext = {
  tool: string;
  /** Opaque ids of the project and the chat; null outside of a call. */
  project: string | null;
  chat: string | null;
  /** Whether the token was refreshed: once per call, however often the server refuses it. */
  refresh: { isUsed: boolean };
  /** Aborted at the end of the call, with all its requests; null for work that outlives the call. */
  signal: AbortSignal | null;
  /** Its time limit, which stands still while the user is asked; null for work that outlives the call. */
  limit: TimeLimit | null;
};

/** Passes the context of a call through the MCP client to its requests. */
export const callContext = new AsyncLocalStorage<CallContext>();

/**
 * Creates a `fetch` whose requests are aborted when their call ends. Requests that notify the server of the end are still sent.
 */
export function endingWithCall(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const signal = callContext.getStore()?.signal;
    return !signal || signal.aborted ? fetch(input, init) : fetch(input, { ...init, signal });
  };
}
