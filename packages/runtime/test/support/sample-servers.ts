import type { SignInServer } from '../../src/accounts/sign-in-server.ts';

const LOGIN = 'https://login.example.com';

/** A server of which a client knows its name and its two addresses, with changes. */
export const namedServer = (changes: Partial<SignInServer>): SignInServer => ({
  issuer: LOGIN,
  authorizationEndpoint: `${LOGIN}/authorize`,
  tokenEndpoint: `${LOGIN}/token`,
  revocationEndpoint: null,
  registrationEndpoint: null,
  namesItself: false,
  takesClientDocuments: false,
  clientMethods: null,
  offersOfflineAccess: false,
  ...changes,
});
