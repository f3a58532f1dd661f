import * as oauth from 'oauth4webapi';
import { type AuthorizationServer, asServer } from './authorization-server.ts';
import { serverMetadata } from './discovery/server-metadata.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';
import type { RelayAnswer } from './relay.ts';
import type { Requests } from './requests.ts';

const mixedUp = (): OAuthError => new OAuthError('The answer to the sign-in comes from another server.');

/**
 * Whether an issuer is the server that a manifest names by its addresses: when both are of one origin, or when its own metadata
 * names the same addresses. The manifest has no issuer to compare with.
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
 * Makes sure that the server we sent the person to is the one that answered (RFC 9207 section 2.4): otherwise a server could
 * have the code of another one brought to itself.
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
  // Character by character (RFC 3986 section 6.2.1), as the RFC asks.
  const isExpected = server.issuer === null ? await isDeclared(requests, server, iss) : iss === server.issuer;
  if (!isExpected) throw mixedUp();
}

/**
 * Checks what came back from a sign-in.
 * @param sent what was sent along; no message may repeat it
 * @returns the answer, fit to exchange its code
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
  if (answer.code === '') throw new OAuthError('The answer to the sign-in holds nothing.');
  const parameters = new URLSearchParams({ code: answer.code, state: sent.state });
  return oauth.validateAuthResponse(asServer(server), { client_id: sent.clientId }, parameters, sent.state);
}
