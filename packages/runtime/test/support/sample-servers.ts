import type { AuthorizationServer } from '../../src/accounts/discovery/server-metadata.ts';

const LOGIN = 'https://login.example.com';

/** An authorization server with an issuer and two endpoints, and these changes. */
export const namedServer = (changes: Partial<AuthorizationServer>): AuthorizationServer => ({
  issuer: LOGIN,
  authorizationEndpoint: `${LOGIN}/authorize`,
  tokenEndpoint: `${LOGIN}/token`,
  revocationEndpoint: null,
  registrationEndpoint: null,
  supportsIss: false,
  supportsClientIdMetadata: false,
  clientMethods: null,
  offersOfflineAccess: false,
  offersRefresh: true,
  ...changes,
});
