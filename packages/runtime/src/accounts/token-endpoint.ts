import * as oauth from 'oauth4webapi';
import { asServer } from './discovery/server-metadata.ts';
import type { Grant, OAuthClient } from './grant.ts';
import { OAuthError } from './oauth-error.ts';
import type { Requests } from './requests.ts';
import { OUTCOMES, readResponse, type TokenResult, type Tokens, tokenResult } from './token-response.ts';

/** The server, client and resource of a token request. */
export type TokenSource = Pick<Grant, 'server' | 'client' | 'resource'>;

/** Form-encodes a text, as RFC 6749 section 2.3.1 requires. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** HTTP Basic authentication. oauth4webapi encodes hyphens too, which servers without decoding do not recognise. */
const basic =
  (secret: string): oauth.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${formEncoded(client_id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };

const clientAuth = ({ secret, method }: OAuthClient): oauth.ClientAuth => {
  if (secret === null) return oauth.None();
  return method === 'client_secret_basic' ? basic(secret) : oauth.ClientSecretPost(secret);
};

const optionsOf = ({ resource }: TokenSource, requests: Requests) => ({
  [oauth.customFetch]: requests.fetch,
  [oauth.allowInsecureRequests]: requests.allowLoopback !== false,
  ...(resource !== null && { additionalParameters: { resource } }),
});

/** Exchanges a code for tokens (RFC 6749 section 4.1.3). Rejects with an OAuthError. */
export async function exchangeCode(
  source: TokenSource,
  requests: Requests,
  { answer, redirectUri, verifier }: { answer: URLSearchParams; redirectUri: string; verifier: string },
): Promise<Tokens> {
  const { client } = source;
  const request = oauth.authorizationCodeGrantRequest(
    asServer(source.server),
    { client_id: client.id },
    clientAuth(client),
    answer,
    redirectUri,
    verifier,
    optionsOf(source, requests),
  );
  const result = await tokenResult(request, [answer.get('code'), verifier, client.secret]);
  if (result.outcome === 'tokens') return result.tokens;
  throw result.fault;
}

/** Renews an access token (RFC 6749 section 6). */
export async function renewTokens(
  grant: Grant,
  refreshToken: string,
  requests: Requests,
): Promise<TokenResult> {
  const { client } = grant;
  const request = oauth.refreshTokenGrantRequest(
    asServer(grant.server),
    { client_id: client.id },
    clientAuth(client),
    refreshToken,
    optionsOf(grant, requests),
  );
  return tokenResult(request, [refreshToken, grant.accessToken, client.secret]);
}

/** A token to revoke, with its server and client. */
export type Revocable = {
  token: string;
  /** RFC 7009 section 2.1. */
  hint: 'access_token' | 'refresh_token';
  server: { issuer: string | null; tokenEndpoint: string; revocationEndpoint: string };
  client: OAuthClient;
};

/**
 * Revokes a token (RFC 7009). A server that does not know the token responds with 200.
 * @returns `refused` when a retry is pointless
 */
export async function revokeToken(
  { token, hint, server, client }: Revocable,
  requests: Requests,
): Promise<{ outcome: 'revoked' } | { outcome: 'refused' | 'outage'; fault: OAuthError }> {
  const options = optionsOf({ server, client, resource: null }, requests);
  const additionalParameters = { token_type_hint: hint };
  const auth = clientAuth(client);
  try {
    const response = await oauth.revocationRequest(asServer(server), { client_id: client.id }, auth, token, {
      ...options,
      additionalParameters,
    });
    if (response.ok) return { outcome: 'revoked' };
    const { kind, fault } = await readResponse(response, [token, client.secret]);
    return { outcome: OUTCOMES[kind] === 'refused' ? 'refused' : 'outage', fault };
  } catch (error) {
    if (error instanceof OAuthError) return { outcome: OUTCOMES.unanswered, fault: error };
    throw error;
  }
}
