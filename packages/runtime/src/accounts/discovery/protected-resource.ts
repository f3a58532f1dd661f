import { z } from 'zod';
import { OAuthError } from '../oauth-error.ts';
import type { Requests } from '../requests.ts';
import { scopesIn } from './challenge.ts';
import { firstUsable } from './first-usable.ts';

/** Protected resource metadata (RFC 9728 section 2). */
export type ProtectedResource = { resource: string; issuers: string[]; scopes: string[] | null };

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
export async function protectedResource(
  requests: Requests,
  mcpUrl: URL,
  named: readonly string[],
): Promise<ProtectedResource | null> {
  const places = named.flatMap((place) => URL.parse(place, mcpUrl.href)?.href ?? []);
  return firstUsable(requests, [...new Set([...places, ...wellKnownUrls(mcpUrl)])], (body) =>
    parse(body, mcpUrl),
  );
}
