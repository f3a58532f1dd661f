import { AsyncLocalStorage } from 'node:async_hooks';
import { isThisMachine } from '@svc/contracts/this-machine';
import { readChallenge } from '../accounts/discovery/challenge.ts';
import type { SignInSource } from '../cards/ask-to-connect.ts';
import { CONNECTOR_ACCOUNT, withAccount } from '../connectors/connector-app.ts';
import type { ConnectorHeaders, HeaderStore } from '../connectors/connector-headers.ts';
import { headerNamesOf, type InstalledApp, isConnector, localPartOf } from '../library/installed-app.ts';
import { bytesOf } from '../network/read-answer.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { TimeLimit } from '../platform/within-time.ts';
import { isAboutSession } from './fault.ts';
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

/** Minimum length of a value that is redacted in results: shorter ones are usually names, such as of a tenant. */
const MIN_SECRET = 8;

/** Sends given headers with each request. */
export const withHeaders =
  <Url, Sent>(send: (url: Url, init?: RequestInit) => Promise<Sent>, headers: ConnectorHeaders) =>
  (url: Url, init: RequestInit = {}): Promise<Sent> =>
    send(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } });

/** Sends the headers of a connector with each request to its server, and removes their values from its results. */
export function fetchWithHeaders(
  app: InstalledApp,
  fetch: typeof globalThis.fetch,
  { headers, secrets }: { headers: HeaderStore | undefined; secrets: Secrets },
): typeof globalThis.fetch {
  if (headerNamesOf(app).length === 0 || !headers) return fetch;
  return async (input, init) => {
    // Read each time: the user may have replaced a value, also in another process.
    const given = await headers.read(app);
    for (const value of Object.values(given)) {
      // After a scheme, such as Bearer.
      const credentials = value.slice(value.lastIndexOf(' ') + 1);
      if (credentials.length >= MIN_SECRET) secrets.add(credentials);
    }
    return withHeaders(fetch, given)(input, init);
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
   * Refreshes a token that the app's server refused with 401; empty where none was sent. The challenge (RFC 6750 section 3, RFC 9728 section 5.1) is kept for
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

/** Maximum number of scopes that one response adds. */
const MAX_SCOPES = 50;

/** The challenge of a response that refuses the token (RFC 6750 section 3.1): some servers send one with another status than 401. */
const challengeOf = ({ status, headers }: Response) =>
  status === 400 || status === 401 || status === 403 ? readChallenge(headers.get('www-authenticate')) : null;

/** Whether a response refuses the token: a new one may be accepted. */
const refusesToken = (response: Response): boolean =>
  response.status === 401 || challengeOf(response)?.error === 'invalid_token';

const notConnected = (accountId: string, scopes?: readonly string[]): RuntimeError =>
  new RuntimeError('not-connected', undefined, { detail: { accountId, ...(scopes && { scopes }) } });

/** Longest refusal that is read for its words, in bytes. */
const MAX_WORDS = 64 * 1024;

/**
 * Whether a 401 is about the MCP session and not about the token, as some servers answer for a session that they do not know: in words, and
 * without the challenge that each other 401 has (RFC 9110 section 15.5.2).
 */
async function isOfSession(response: Response, init: RequestInit | undefined): Promise<boolean> {
  const hasSession = new Headers(init?.headers).has('mcp-session-id');
  if (!hasSession || response.headers.has('www-authenticate')) return false;
  const words = await bytesOf(response.clone(), MAX_WORDS).catch(() => Buffer.alloc(0));
  return isAboutSession(words.toString());
}

/**
 * Creates a `fetch` for a server without an account. Some servers require users to sign in for some of their tools alone, and say so when one
 * is called, with a challenge: a connector of the Internet or of this machine gets an account then, unless the user gave a header in its place.
 * @throws RuntimeError `not-connected` when the user has to connect
 */
export function openFetch({ app, fetch, tokens }: Pick<Deps, 'app' | 'fetch' | 'tokens'>): typeof fetch {
  const isHere = isThisMachine(new URL(app.manifest.remote.mcpUrl).hostname);
  const mayConnect = isConnector(app) && (localPartOf(app) === null || isHere);
  if (!mayConnect || headerNamesOf(app).includes('authorization')) return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    const challenge = response.headers.get('www-authenticate');
    if (response.status !== 401 || readChallenge(challenge) === null) return response;
    await response.body?.cancel();
    await tokens.refreshAfter401(withAccount(app), CONNECTOR_ACCOUNT, '', challenge);
    throw notConnected(CONNECTOR_ACCOUNT);
  };
}

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
    const challenge = challengeOf(response);
    const scopes = (challenge?.scopes ?? []).slice(0, MAX_SCOPES);
    // A 401 that names no scope is tried again with a new token.
    const isStepUp = response.status !== 401 || scopes.length > 0;
    if (challenge?.error !== 'insufficient_scope' || !isStepUp) return response;
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
    if (!refusesToken(response) || (await isOfSession(response, init))) {
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
    if (!refusesToken(again)) return again;
    await again.body?.cancel();
    throw notConnected(accountId);
  };
}
