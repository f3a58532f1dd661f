import { z } from 'zod';
import { probeServer } from '../../calls/probe-server.ts';
import type { System } from '../../platform/system.ts';
import { OAuthError } from '../oauth-error.ts';
import { addressOf, type Requests } from '../requests.ts';
import { type Challenge, scopesIn } from './challenge.ts';
import { type AuthorizationServer, firstUsable, serverMetadata, Words } from './server-metadata.ts';

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

/** Protected resource metadata (RFC 9728 section 2), and its URL. `issuers` is null when it names none. */
type ProtectedResource = {
  resource: string;
  issuers: string[] | null;
  scopes: string[] | null;
  metadataUrl: string;
};

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Maximum number of authorization servers of one resource that are tried. */
const MAX_ISSUERS = 4;

const Metadata = z.object({
  resource: z.string().max(2000),
  authorization_servers: Words,
  scopes_supported: Words,
});

/** Well-known URLs of the metadata: for the whole URL, with and without its query and its last slash, then for its host (section 3.1). */
function wellKnownUrls(mcpUrl: URL): string[] {
  const path = mcpUrl.pathname === '/' ? '' : mcpUrl.pathname;
  const places = [path + mcpUrl.search, path, path.replace(/\/$/, ''), ''];
  return [...new Set(places)].map((place) => new URL(WELL_KNOWN + place, mcpUrl).href);
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
  return `${mcpUrl.pathname}/`.startsWith(folder);
}

function parse(body: Record<string, unknown>, mcpUrl: URL, metadataUrl: string): ProtectedResource | null {
  // Some servers answer every path with JSON.
  if (!('resource' in body) && !('authorization_servers' in body)) return null;
  const { data } = Metadata.safeParse(body);
  if (!data) throw new OAuthError(`${mcpUrl.host} does not say where to sign in.`);
  if (!covers(data.resource, mcpUrl)) {
    throw new OAuthError(`The metadata of ${mcpUrl.host} names another resource.`);
  }
  const scopes = data.scopes_supported && scopesIn(data.scopes_supported.join(' '));
  const issuers = data.authorization_servers?.filter((one) => one.length <= 2000).slice(0, MAX_ISSUERS);
  return { resource: data.resource, issuers: issuers ?? null, scopes, metadataUrl };
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
  return firstUsable(requests, [...new Set([...places, ...wellKnownUrls(mcpUrl)])], (body, place) =>
    parse(body, mcpUrl, place),
  );
}

/** Where to sign in for an MCP server, and with which scopes. */
export type Discovered = {
  server: AuthorizationServer;
  /** The resource indicator of the token (RFC 8707). */
  resource: string;
  /** The scopes that the MCP server requires; null when it names none. */
  scopes: string[] | null;
  /** The URL of its resource metadata, when only a challenge names it; null otherwise. */
  metadataUrl: string | null;
};

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

/**
 * The authorization server of an MCP server whose resource metadata names none: in the revision of 2025-03-26 it is the server itself.
 * @throws OAuthError that says what the server lacks
 */
async function ownServer(requests: Requests, url: URL): Promise<AuthorizationServer> {
  try {
    return await serverMetadata(requests, url.origin);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new OAuthError(
      `${url.host} does not say where to sign in: it publishes neither resource metadata (RFC 9728) nor usable authorization server metadata of its own (RFC 8414).`,
    );
  }
}

/** Faults of a server that cannot be reached: its metadata is not looked for. */
const UNREACHED = new Set<string>(['unreachable', 'too-slow', 'too-large', 'address-refused']);

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
  const url = addressOf(mcpUrl, requests.allowLoopback);
  const { fault, ...probe } = await probeServer(requests.server(mcpUrl));
  if (fault && UNREACHED.has(fault.code))
    throw new OAuthError(`${url.host}: ${fault.message}`, null, 'unreachable');
  const challenge = probe.challenge ?? earlier;
  const named = [...(challenge?.resourceMetadata ?? []), ...(earlier?.resourceMetadata ?? [])];
  const found = await protectedResource(requests, url, named);
  const issuers = found?.issuers;
  return {
    server: await (issuers ? firstServer(requests, issuers) : ownServer(requests, url)),
    resource: found?.resource ?? url.href,
    scopes: challenge?.scopes ?? found?.scopes ?? null,
    metadataUrl: found && !wellKnownUrls(url).includes(found.metadataUrl) ? found.metadataUrl : null,
  };
}
