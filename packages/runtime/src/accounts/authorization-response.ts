import * as oauth from 'oauth4webapi';
import { type AuthorizationServer, asServer } from './authorization-server.ts';
import { serverMetadata } from './discovery/server-metadata.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';
import type { RelayAnswer } from './relay.ts';
import type { Requests } from './requests.ts';

const mixedUp = (): OAuthError =>
  new OAuthError('The authorization response comes from another server.', null, 'issuer');

/**
 * Whether an issuer is the server whose endpoints a manifest declares: both have the same origin, or the issuer's metadata names the
 * same endpoints. A manifest declares no issuer.
 */
async function isDeclared(requests: Requests, server: AuthorizationServer, issuer: string): Promise<boolean> {
  const url = URL.parse(issuer);
  if (!url) return false;
  if (url.origin === new URL(server.authorizationEndpoint).origin) return true;
  const metadata = await serverMetadata(requests, issuer).catch(() => null);
  return (
    metadata?.authorizationEndpoint === server.authorizationEndpoint &&
    metadata.tokenEndpoint === server.tokenEndpoint
  );
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
  // RFC 9207 requires simple string comparison (RFC 3986 section 6.2.1).
  const isExpected = server.issuer === null ? await isDeclared(requests, server, iss) : iss === server.issuer;
  if (!isExpected) throw mixedUp();
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
  await requireIssuer(requests, server, answer.iss);
  if ('error' in answer) throw oauthErrorFrom(answer, [sent.state, sent.verifier]);
  if (answer.code === '') throw new OAuthError('The authorization response has no code.');
  const parameters = new URLSearchParams({ code: answer.code, state: sent.state });
  return oauth.validateAuthResponse(asServer(server), { client_id: sent.clientId }, parameters, sent.state);
}
