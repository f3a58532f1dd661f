import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request is made for. Requests that the MCP client makes on its own are made for whatever caused them. */
export type CallContext = {
  tool: string;
  /** Names of project and chat, opaque to the app; null outside of a call. */
  project: string | null;
  chat: string | null;
  /** Whether a token was refused already: it is refreshed once in a call, however often the server says no. */
  refresh: { isUsed: boolean };
  /** When the call is over, and with it every request that was made for it; null for what outlives it. */
  signal: AbortSignal | null;
};

/** Follows a call through the MCP client to the requests it makes. */
export const callContext = new AsyncLocalStorage<CallContext>();

/**
 * A `fetch` whose requests end with the call that they are made for, which ends with its session. What tells a server of the
 * end still goes out.
 */
export function endingWithCall(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const signal = callContext.getStore()?.signal;
    return !signal || signal.aborted ? fetch(input, init) : fetch(input, { ...init, signal });
  };
}
