import type { AuthorizationServer } from '../authorization-server.ts';
import { OAuthError } from '../oauth-error.ts';
import { addressOf, type Requests } from '../requests.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { protectedResource } from './protected-resource.ts';
import { serverMetadata } from './server-metadata.ts';

/** Where to sign in for an MCP server, and with which scopes. */
export type Discovered = {
  server: AuthorizationServer;
  /** The resource indicator of the token (RFC 8707). */
  resource: string;
  /** The scopes that the MCP server requires; null when it names none. */
  scopes: string[] | null;
};

/**
 * Requests that a server without anonymous access answers with 401: the first message of a session, then the next one, as some
 * servers allow an anonymous `initialize`.
 */
const MESSAGES = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'svc', version: '1' } },
  },
  { method: 'tools/list', params: {} },
].map((message) => JSON.stringify({ jsonrpc: '2.0', id: 0, ...message }));

/** The responses of a server to requests without a token. */
export type Probe = {
  /** Status of the first response. */
  status: number;
  /** Whether it requires a token. */
  isClosed: boolean;
  /** The challenge of its 401 response. */
  challenge: Challenge | null;
};

/**
 * Sends requests without a token to an MCP server.
 * @throws OAuthError when it cannot be reached
 */
export async function probeUnauthenticated(requests: Pick<Requests, 'head'>, mcpUrl: string): Promise<Probe> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  let first: number | null = null;
  for (const body of MESSAGES) {
    const response = await requests.head(mcpUrl, { method: 'POST', headers, body });
    const challenge = readChallenge(response.headers.get('www-authenticate'));
    first ??= response.status;
    if (response.status === 401) return { status: first, isClosed: true, challenge };
  }
  return { status: first ?? 0, isClosed: false, challenge: null };
}

/** The first of several authorization servers with usable metadata. @throws OAuthError that of the first one */
async function firstServer(requests: Requests, issuers: readonly string[]): Promise<AuthorizationServer> {
  let fault: OAuthError | null = null;
  for (const issuer of issuers) {
    try {
      return await serverMetadata(requests, issuer);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      fault ??= error;
    }
  }
  throw fault ?? new OAuthError('The metadata of the server names no authorization server.');
}

/** Whether a server has only the HTTP+SSE transport of 2024-11-05: it refuses POST, and answers GET with a stream of events. */
async function isSseOnly(requests: Requests, url: URL, { status }: Probe): Promise<boolean> {
  if (status !== 404 && status !== 405) return false;
  const headers = { Accept: 'text/event-stream' };
  const response = await requests.head(url.href, { headers }).catch(() => null);
  return response?.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/**
 * The authorization server of an MCP server without resource metadata: in the revision of 2025-03-26 it is the server itself.
 * @throws OAuthError that says what the server lacks
 */
async function ownServer(requests: Requests, url: URL, probe: Probe): Promise<AuthorizationServer> {
  try {
    return await serverMetadata(requests, url.origin);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (await isSseOnly(requests, url, probe)) {
      throw new OAuthError(
        `${url.host} has only the HTTP+SSE transport of 2024-11-05: it must offer Streamable HTTP.`,
      );
    }
    throw new OAuthError(
      `${url.host} does not say where to sign in: it publishes neither resource metadata (RFC 9728) nor usable authorization server metadata of its own (RFC 8414).`,
    );
  }
}

/**
 * Discovers the authorization server of an MCP server.
 * @param earlier the challenge of an earlier 401. Servers that allow anonymous listing may send it only for tool calls
 * @throws OAuthError
 */
export async function discover(
  requests: Requests,
  mcpUrl: string,
  earlier: Challenge | null = null,
): Promise<Discovered> {
  const probe = await probeUnauthenticated(requests, mcpUrl);
  const challenge = probe.challenge ?? earlier;
  const url = addressOf(mcpUrl, requests.allowLoopback);
  const found = await protectedResource(requests, url, challenge?.resourceMetadata ?? []);
  if (found) {
    const server = await firstServer(requests, found.issuers);
    return { server, resource: found.resource, scopes: challenge?.scopes ?? found.scopes };
  }
  return {
    server: await ownServer(requests, url, probe),
    resource: url.href,
    scopes: challenge?.scopes ?? null,
  };
}
