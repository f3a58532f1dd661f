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
 * Lets a request in that brings a token of ours that was made for this resource and has the scope. Every other is answered with a
 * challenge that says where to sign in (RFC 6750, RFC 9728).
 * @returns of a request, the person the token stands for, in `extra.person`; or the answer to give
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
          throw new OAuthError(
            OAuthErrorCode.InvalidToken,
            'The token is not one of this server, or is over.',
          );
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

/** Whom a request that was let in is from. */
export function personOf({ extra }: Pick<AuthInfo, 'extra'>): string {
  const person = extra?.person;
  if (typeof person !== 'string') throw new Error('A request came in without a person.');
  return person;
}
