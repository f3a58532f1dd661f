import {
  type AuthInfo,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import type Provider from 'oidc-provider';
import { SCOPE } from '../sign-in/provider.ts';

const audienceOf = (aud: string | string[] | undefined): string | undefined =>
  Array.isArray(aud) ? aud[0] : aud;

/**
 * Authenticates a request: its token must be issued by this server for this resource, with the scope. Any other request gets a
 * challenge that says where to sign in (RFC 6750, RFC 9728).
 * @returns for a request, the user of the token in `extra.person`, or the response to send
 */
export function requireToken(provider: Provider, resource: string) {
  return requireBearerAuth({
    expectedResource: new URL(resource),
    requiredScopes: [SCOPE],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
    verifier: {
      async verifyAccessToken(token): Promise<AuthInfo> {
        const found = await provider.AccessToken.find(token);
        const audience = audienceOf(found?.aud);
        if (!found?.isValid || found.accountId === undefined || audience === undefined) {
          throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is invalid or expired.');
        }
        return {
          token,
          clientId: found.clientId ?? '',
          scopes: [...found.scopes],
          resource: new URL(audience),
          expiresAt: found.exp ?? 0,
          extra: { person: found.accountId },
        };
      },
    },
  });
}

/** The user of an authenticated request. */
export function personOf({ extra }: Pick<AuthInfo, 'extra'>): string {
  const person = extra?.person;
  if (typeof person !== 'string') throw new Error('A request came in without a person.');
  return person;
}
