import type { Account } from '@svc/contracts';
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi';
import type { Loopback } from '../network/allowed-url.ts';
import { addressOf } from './requests.ts';

/** Metadata of an authorization server (RFC 8414 section 2). */
export type AuthorizationServer = {
  /** Null when the manifest declares the endpoints. */
  issuer: string | null;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
  registrationEndpoint: string | null;
  /** Whether responses contain `iss` (RFC 9207 section 3). */
  supportsIss: boolean;
  /** Whether the client id may be the URL of a client ID metadata document. */
  supportsClientIdMetadata: boolean;
  /** Client authentication methods of the token endpoint; null when not published. */
  clientMethods: readonly string[] | null;
  /** Whether the server supports the scope `offline_access`, with which clients request refresh tokens. */
  offersOfflineAccess: boolean;
};

/**
 * The authorization server whose endpoints a manifest declares.
 * @throws OAuthError when an endpoint is not allowed
 */
export function declaredServer(account: Account, allowLoopback: Loopback): AuthorizationServer {
  const { authorizeUrl = '', tokenUrl = '', revokeUrl } = account;
  for (const url of [authorizeUrl, tokenUrl, ...(revokeUrl === undefined ? [] : [revokeUrl])]) {
    addressOf(url, allowLoopback);
  }
  return {
    issuer: null,
    authorizationEndpoint: authorizeUrl,
    tokenEndpoint: tokenUrl,
    revocationEndpoint: revokeUrl ?? null,
    registrationEndpoint: null,
    supportsIss: false,
    supportsClientIdMetadata: false,
    clientMethods: null,
    offersOfflineAccess: false,
  };
}

/** The token and revocation endpoints as oauth4webapi expects them. */
export function asServer(server: {
  issuer: string | null;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
}): ServerMetadata {
  return {
    issuer: server.issuer ?? new URL(server.tokenEndpoint).origin,
    token_endpoint: server.tokenEndpoint,
    ...(server.revocationEndpoint !== null && { revocation_endpoint: server.revocationEndpoint }),
  };
}
