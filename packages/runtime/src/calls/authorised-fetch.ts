import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { TimeLimit } from '../platform/within-time.ts';
import type { Secrets } from './secrets.ts';

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

/** The accounts as calls use them. */
export type TokenSource = SignInSource & {
  /** Whether an access token is available, renewed if needed. @throws RuntimeError as `token` */
  ready(app: InstalledApp, accountId: string): Promise<boolean>;
  /**
   * Returns an access token for a call, and records its use.
   * @returns null when the user has to connect
   * @throws RuntimeError `token-unavailable` when the token expired and cannot be renewed now; and as `connect`
   */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /**
   * Refreshes a token that the app's server refused with 401. The challenge (RFC 6750 section 3, RFC 9728 section 5.1) is kept for
   * the next `connect`, as some servers send it only then.
   * @returns a newer token, to be tried once; null when the user has to connect
   * @throws RuntimeError `token-unavailable`; and as `connect`
   */
  refreshAfter401(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
};

/** Maximum parsed length of a challenge, in characters. */
const MAX_CHALLENGE = 4_096;

/** Maximum number of scopes of a challenge. */
const MAX_SCOPES = 50;

/**
 * The scopes that a server requires beyond those of the token (RFC 6750 section 3.1, `insufficient_scope`); null for any other
 * challenge.
 */
function scopesAskedFor(challenge: string | null): string[] | null {
  const text = (challenge ?? '').slice(0, MAX_CHALLENGE);
  if (!/(^|[\s,])error="?insufficient_scope"?/i.test(text)) return null;
  const scope = /(?:^|[\s,])scope="([^"]*)"/i.exec(text)?.[1] ?? '';
  // RFC 6749 section 3.3.
  return scope
    .split(' ')
    .filter((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    .slice(0, MAX_SCOPES);
}

const notConnected = (accountId: string, scopes?: readonly string[]): RuntimeError =>
  new RuntimeError('not-connected', undefined, { detail: { accountId, ...(scopes && { scopes }) } });

type Deps = {
  app: InstalledApp;
  accountId: string;
  fetch: typeof fetch;
  tokens: Pick<TokenSource, 'token' | 'refreshAfter401'>;
  secrets: Secrets;
};

function headersWith(init: RequestInit | undefined, token: string): Headers {
  const headers = new Headers(init?.headers);
  const { project, chat } = callContext.getStore() ?? {};
  headers.set('authorization', `Bearer ${token}`);
  if (project) headers.set('x-svc-project', project);
  if (chat) headers.set('x-svc-chat', chat);
  return headers;
}

/**
 * Creates a `fetch` that sends the token of an account. After a 401 it refreshes the token and retries, once.
 * @throws RuntimeError `not-connected` when the user has to connect; with `scopes` when the server requires more
 */
export function authorisedFetch({ app, accountId, fetch, tokens, secrets }: Deps): typeof globalThis.fetch {
  async function send(input: string | URL | Request, init: RequestInit | undefined, token: string) {
    secrets.add(token);
    const response = await fetch(input, { ...init, headers: headersWith(init, token) });
    if (response.status !== 403) return response;
    const scopes = scopesAskedFor(response.headers.get('www-authenticate'));
    if (!scopes) return response;
    await response.body?.cancel();
    // A server could echo the token as a scope.
    throw notConnected(
      accountId,
      scopes.filter((scope) => secrets.strip(scope) === scope),
    );
  }
  /** The last token that the server accepted. */
  let lastAccepted: string | null = null;

  /**
   * The token of a request. Requests that resume an accepted call (GET) or end the session (DELETE) may use the last accepted token
   * after the account was disconnected: otherwise results of running calls would be lost.
   */
  async function tokenFor(input: string | URL | Request, init: RequestInit | undefined, tool: string) {
    const { hostname } = input instanceof URL ? input : new URL(input instanceof Request ? input.url : input);
    const isLater = init?.method === 'GET' || init?.method === 'DELETE';
    const fallback = isLater ? lastAccepted : null;
    const token = await tokens.token(app, accountId, { host: hostname, tool }).catch((error: unknown) => {
      if (fallback === null) throw error;
      return null;
    });
    if (token === null && fallback === null) throw notConnected(accountId);
    return token ?? fallback ?? '';
  }

  return async (input, init) => {
    const context = callContext.getStore();
    const token = await tokenFor(input, init, context?.tool ?? '');
    const response = await send(input, init, token);
    if (response.status !== 401) {
      lastAccepted = token;
      return response;
    }
    lastAccepted = null;
    await response.body?.cancel();
    if (context?.refresh.isUsed) throw notConnected(accountId);
    if (context) context.refresh.isUsed = true;
    const challenge = response.headers.get('www-authenticate');
    const fresh = await tokens.refreshAfter401(app, accountId, token, challenge).catch((error: unknown) => {
      // The refresh failed: the next request may try again.
      if (context) context.refresh.isUsed = false;
      throw error;
    });
    if (fresh === null) throw notConnected(accountId);
    const again = await send(input, init, fresh);
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw notConnected(accountId);
  };
}
