import type { AuthorizationServer } from '../authorization-server.ts';
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
  const challenge = (await probeUnauthenticated(requests, mcpUrl)).challenge ?? earlier;
  const url = addressOf(mcpUrl, requests.allowLoopback);
  const { resource, issuer, scopes } = await protectedResource(
    requests,
    url,
    challenge?.resourceMetadata ?? null,
  );
  const server = await serverMetadata(requests, issuer);
  return { server, resource, scopes: challenge?.scopes ?? scopes };
}
