import { z } from 'zod';
import { OAuthError } from '../oauth-error.ts';
import { objectIn, type Requests } from '../requests.ts';
import { scopesIn } from './challenge.ts';

/** Protected resource metadata (RFC 9728 section 2). */
export type ProtectedResource = { resource: string; issuer: string; scopes: string[] | null };

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

const Metadata = z.object({
  resource: z.string().max(2000),
  authorization_servers: z.tuple([z.string().max(2000)], z.unknown()),
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
  return { resource: data.resource, issuer: data.authorization_servers[0], scopes: scopes ?? null };
}

/**
 * Reads the protected resource metadata of an MCP server.
 * @param metadataUrl the URL of the metadata that its challenge names
 * @throws OAuthError
 */
export async function protectedResource(
  requests: Requests,
  mcpUrl: URL,
  metadataUrl: string | null,
): Promise<ProtectedResource> {
  for (const url of metadataUrl === null ? wellKnownUrls(mcpUrl) : [metadataUrl]) {
    const response = await requests.fetch(url, { headers: { Accept: 'application/json' } });
    if (response.status === 200) {
      return parse(await objectIn(response, `The metadata of ${mcpUrl.host}`), mcpUrl);
    }
  }
  throw new OAuthError(`${mcpUrl.host} does not say where to sign in.`);
}
