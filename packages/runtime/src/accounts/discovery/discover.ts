import type { AuthorizationServer } from '../authorization-server.ts';
import { addressOf, type Requests } from '../requests.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { protectedResource } from './protected-resource.ts';
import { serverMetadata } from './server-metadata.ts';

/** Where and for what a person signs in to use an MCP server. */
export type Discovered = {
  server: AuthorizationServer;
  /** Whom the token is for (RFC 8707). */
  resource: string;
  /** What the MCP server asks for; null when it does not say. */
  scopes: string[] | null;
};

/**
 * What a server without a token answers with its challenge: the first message of every session, or, where anybody may begin
 * one, what comes next.
 */
const MESSAGES = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'svc', version: '1' } },
  },
  { method: 'tools/list', params: {} },
].map((message) => JSON.stringify({ jsonrpc: '2.0', id: 0, ...message }));

/** What a server answers to who has no token. */
export type Probe = {
  /** To the first message. */
  status: number;
  /** Whether it wants one. */
  isClosed: boolean;
  /** What it says about getting one. */
  challenge: Challenge | null;
};

/**
 * Calls an MCP server without a token.
 * @throws OAuthError when it does not answer
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
 * Finds out where to sign in for an MCP server.
 * @param earlier what the server said when it refused a token. Some let everybody begin and list, and say it in no other place
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
