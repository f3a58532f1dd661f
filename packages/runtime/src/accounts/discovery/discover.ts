import { z } from 'zod';
import type { System } from '../../platform/system.ts';
import { OAuthError } from '../oauth-error.ts';
import { addressOf, type Requests } from '../requests.ts';
import { type Challenge, readChallenge, scopesIn } from './challenge.ts';
import { type AuthorizationServer, firstUsable, serverMetadata } from './server-metadata.ts';

/** Discovers the authorization server of an MCP server. Rejects with an OAuthError. */
export type Discover = (requests: Requests, mcpUrl: string, earlier: Challenge | null) => Promise<Discovered>;

/** Discovery for a card (`discover`, which caches) and for the sign-in that follows it (`take`). */
type Discovery = { discover: Discover; take: Discover };

/** How long a result is cached, in milliseconds. */
const KEPT_MS = 60_000;

/** Maximum number of cached results. */
const MAX_KEPT = 100;

const keyOf = ({ allowLoopback }: Requests, mcpUrl: string): string =>
  JSON.stringify([mcpUrl, allowLoopback]);

/** Keeps what `look` found until it is taken, for a minute at most, so that a card and its sign-in ask once. */
export function cacheDiscovery(system: Pick<System, 'now'>): Discovery {
  const cache = new Map<string, { at: number; found: Discovered }>();
  return {
    async discover(requests, mcpUrl, earlier) {
      const found = await discover(requests, mcpUrl, earlier);
      const [oldest] = cache.keys();
      if (cache.size >= MAX_KEPT && oldest !== undefined) cache.delete(oldest);
      cache.set(keyOf(requests, mcpUrl), { at: system.now(), found });
      return found;
    },
    async take(requests, mcpUrl, earlier) {
      const key = keyOf(requests, mcpUrl);
      const present = cache.get(key);
      cache.delete(key);
      const age = system.now() - (present?.at ?? 0);
      return present && age >= 0 && age < KEPT_MS ? present.found : discover(requests, mcpUrl, earlier);
    },
  };
}

/** Protected resource metadata (RFC 9728 section 2). */
type ProtectedResource = { resource: string; issuers: string[]; scopes: string[] | null };

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Maximum number of authorization servers of one resource that are tried. */
const MAX_ISSUERS = 4;

const Metadata = z.object({
  resource: z.string().max(2000),
  authorization_servers: z.array(z.unknown()).min(1),
  scopes_supported: z.array(z.string()).nullish().catch(null),
});

/** Well-known URLs of the metadata: for the whole URL, then for its host (section 3.1). */
function wellKnownUrls(mcpUrl: URL): string[] {
  const path = mcpUrl.pathname === '/' ? '' : mcpUrl.pathname;
  return [...new Set([`${WELL_KNOWN}${path}`, WELL_KNOWN])].map((place) => new URL(place, mcpUrl).href);
}

/**
 * Whether the metadata covers the server that will receive the token (section 3.3): the same origin, and the same path or a parent of
 * it. Otherwise a server could obtain a token that is valid for another server.
 */
function covers(resource: string, mcpUrl: URL): boolean {
  const url = URL.parse(resource);
  if (!url || url.origin !== mcpUrl.origin || url.hash !== '' || url.username !== '') return false;
  if (url.search !== '' && url.search !== mcpUrl.search) return false;
  const folder = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return mcpUrl.pathname === url.pathname || `${mcpUrl.pathname}/`.startsWith(folder);
}

function parse(body: Record<string, unknown>, mcpUrl: URL): ProtectedResource {
  const { data } = Metadata.safeParse(body);
  if (!data) throw new OAuthError(`${mcpUrl.host} does not say where to sign in.`);
  if (!covers(data.resource, mcpUrl)) {
    throw new OAuthError(`The metadata of ${mcpUrl.host} names another resource.`);
  }
  const scopes = data.scopes_supported && scopesIn(data.scopes_supported.join(' '));
  const issuers = data.authorization_servers.filter((one) => typeof one === 'string' && one.length <= 2000);
  return {
    resource: data.resource,
    issuers: issuers.slice(0, MAX_ISSUERS) as string[],
    scopes: scopes ?? null,
  };
}

/**
 * Reads the protected resource metadata of an MCP server: the first usable document at the places that its challenge names, then at the
 * well-known ones.
 * @param named URLs of the challenge, which may be relative
 * @returns null when no place has metadata
 * @throws OAuthError when there is metadata, but none that is usable
 */
async function protectedResource(
  requests: Requests,
  mcpUrl: URL,
  named: readonly string[],
): Promise<ProtectedResource | null> {
  const places = named.flatMap((place) => URL.parse(place, mcpUrl.href)?.href ?? []);
  return firstUsable(requests, [...new Set([...places, ...wellKnownUrls(mcpUrl)])], (body) =>
    parse(body, mcpUrl),
  );
}

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
