import { createHash } from 'node:crypto';
import { CLIENT_PARAMETERS } from '@svc/contracts/vocabulary';
import { cleanLine } from '@svc/text';
import * as oauth from 'oauth4webapi';
import { RuntimeError } from '../platform/runtime-error.ts';
import { type AuthorizationServer, asServer, publishedEndpoints } from './discovery/server-metadata.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';
import type { RelayAnswer } from './relay.ts';
import type { Requests } from './requests.ts';

/** Maximum shown length of scopes, in characters. */
const MAX_SHOWN = 200;

/** The sources of the scopes of a sign-in. */
type Wishes = {
  /** Scopes of the signed manifest; if there are any, no other scope is requested. */
  signed: readonly string[];
  /** Scopes that the MCP server requires; null when unknown. */
  offered: readonly string[] | null;
  /** Scopes that a token lacked (RFC 6750 section 3.1), and those that were requested earlier. */
  added: readonly string[];
  /** Whether the server supports `offline_access`. */
  offersOfflineAccess: boolean;
};

/** The refusal of scopes that the manifest does not include. Scopes are printable (RFC 6749 section 3.3), but may be long. */
const scopeRefused = (scopes: readonly string[]): RuntimeError =>
  new RuntimeError(
    'scope-refused',
    `The app’s server requires scopes that the app does not declare: ${cleanLine(scopes.join(' '), MAX_SHOWN)}`,
    { detail: { scopes } },
  );

/**
 * The scopes to request; null leaves them to the server.
 * @throws RuntimeError scope-refused when the manifest does not include a required scope
 */
export function scopesToAsk({ signed, offered, added, offersOfflineAccess }: Wishes): string[] | null {
  if (signed.length > 0) {
    const refused = added.filter((scope) => !signed.includes(scope));
    if (refused.length > 0) throw scopeRefused(refused);
    return [...new Set(signed)];
  }
  const scopes = new Set([...(offered ?? []), ...added]);
  if (scopes.size === 0) return null;
  // The manifest names no scopes: `offline_access` grants no access by itself and may be added.
  if (offersOfflineAccess) scopes.add('offline_access');
  return [...scopes];
}

/** An authorization request. */
type AuthorizationRequest = {
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

const mixedUp = (): OAuthError =>
  new OAuthError('The authorization response comes from another server.', null, 'issuer');

const isSameUrl = (a: string, b: string): boolean => URL.parse(a)?.href === URL.parse(b)?.href;

/**
 * Requires that an issuer is the server whose endpoints a manifest declares: a manifest declares no issuer. Its metadata must name the
 * token endpoint (RFC 9700 section 4.4); otherwise an app could send the users of an honest server there, and have their codes and
 * verifiers sent to a token endpoint of its own.
 */
async function requireDeclared(
  requests: Requests,
  server: AuthorizationServer,
  issuer: string,
): Promise<void> {
  const published = await publishedEndpoints(requests, issuer);
  const { host } = new URL(server.authorizationEndpoint);
  if (published === null) {
    throw new OAuthError(
      `The authorization server at ${host} sends "iss", but its metadata (RFC 8414) cannot be read there, so its token endpoint cannot be verified.`,
      null,
      'issuer',
    );
  }
  const isOwnOrigin = URL.parse(issuer)?.origin === new URL(server.authorizationEndpoint).origin;
  if (!isOwnOrigin && !isSameUrl(published.authorizationEndpoint, server.authorizationEndpoint))
    throw mixedUp();
  if (!isSameUrl(published.tokenEndpoint, server.tokenEndpoint)) {
    throw new OAuthError(
      `The authorization response comes from another server than ${new URL(server.tokenEndpoint).host}: the token endpoint of ${host} is another one.`,
      null,
      'issuer',
    );
  }
}

/**
 * Requires that the response comes from the server that the user was sent to (RFC 9207 section 2.4). This prevents mix-up attacks,
 * in which one server obtains the code of another.
 */
async function requireIssuer(
  requests: Requests,
  server: AuthorizationServer,
  iss: string | undefined,
): Promise<void> {
  if (iss === undefined) {
    if (server.supportsIss) throw mixedUp();
    return;
  }
  if (server.issuer === null) return requireDeclared(requests, server, iss);
  // RFC 9207 requires simple string comparison (RFC 3986 section 6.2.1).
  if (iss !== server.issuer) throw mixedUp();
}

/**
 * Validates an authorization response.
 * @param sent parameters of the request; no error message may contain them
 * @returns the validated parameters, for the token request
 * @throws OAuthError
 */
export async function validateAuthorizationResponse(
  requests: Requests,
  server: AuthorizationServer,
  answer: RelayAnswer,
  sent: { clientId: string; state: string; verifier: string },
): Promise<URLSearchParams> {
  const isError = 'error' in answer;
  // Many servers send no `iss` with errors. An error ends the sign-in, also one of another sender.
  if (!isError || answer.iss !== undefined) await requireIssuer(requests, server, answer.iss);
  if (isError) throw oauthErrorFrom(answer, [sent.state, sent.verifier]);
  if (answer.code === '') throw new OAuthError('The authorization response has no code.');
  const parameters = new URLSearchParams({ code: answer.code, state: sent.state });
  return oauth.validateAuthResponse(asServer(server), { client_id: sent.clientId }, parameters, sent.state);
}
