import { createHash } from 'node:crypto';
import { CLIENT_PARAMETERS } from '@svc/contracts/vocabulary';
import type { AuthorizationServer } from './authorization-server.ts';

/** An authorization request. */
export type AuthorizationRequest = {
  server: AuthorizationServer;
  clientId: string;
  redirectUri: string;
  state: string;
  /** The PKCE code verifier; the URL contains only its hash. */
  verifier: string;
  scopes: readonly string[] | null;
  resource: string | null;
  /** Additional parameters of the manifest. */
  params: Readonly<Record<string, string>>;
};

/** Builds the authorization URL (RFC 6749 section 4.1.1, RFC 7636 section 4.3, RFC 8707 section 2.1). */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { server, clientId, redirectUri, state, verifier, scopes, resource, params } = request;
  const url = new URL(server.authorizationEndpoint);
  url.hash = '';
  const { searchParams } = url;
  for (const name of CLIENT_PARAMETERS) searchParams.delete(name);
  for (const [name, value] of Object.entries(params)) {
    if (!CLIENT_PARAMETERS.has(name.toLowerCase())) searchParams.set(name, value);
  }
  // OpenID Connect Core section 11: without `prompt=consent` the scope `offline_access` is ignored.
  if (scopes?.includes('offline_access') && !searchParams.has('prompt'))
    searchParams.set('prompt', 'consent');
  searchParams.set('response_type', 'code');
  searchParams.set('client_id', clientId);
  searchParams.set('redirect_uri', redirectUri);
  searchParams.set('state', state);
  searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
  searchParams.set('code_challenge_method', 'S256');
  if (scopes && scopes.length > 0) searchParams.set('scope', scopes.join(' '));
  if (resource !== null) searchParams.set('resource', resource);
  return url.href;
}
