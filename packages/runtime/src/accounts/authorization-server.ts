import type { Account } from '@svc/contracts';
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi';
import type { Loopback } from '../network/allowed-url.ts';
import { addressOf } from './requests.ts';

/** A server at which people sign in, as far as we need to know it (RFC 8414 section 2). */
export type AuthorizationServer = {
  /** Null when the manifest names its addresses alone. */
  issuer: string | null;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
  registrationEndpoint: string | null;
  /** Whether it names itself in each answer (RFC 9207 section 3). */
  supportsIss: boolean;
  /** Whether a client may say who it is by the address of a document. */
  supportsClientIdMetadata: boolean;
  /** How clients may say who they are at the token endpoint; null when it does not say. */
  clientMethods: readonly string[] | null;
  /** Whether it gives refresh tokens to who asks for the scope `offline_access`. */
  offersOfflineAccess: boolean;
};

/**
 * The server that a manifest names.
 * @throws OAuthError when an address is none that may be asked
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

/** The part of a server that tokens are fetched from and taken back at, as oauth4webapi wants it. */
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
