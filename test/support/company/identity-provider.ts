import { createServer } from 'node:http';
import { signingJwk } from '@svc/testkit/rsa-key';
import { Provider } from 'oidc-provider';
import { grantAtOnce } from '../../../apps/store/test/support/open-id.ts';

/** The scope of the servers of apps. */
export const SCOPE = 'desks';

/** An account at the provider. */
export type Account = { email: string; name: string; groups: readonly string[] };

type Options = {
  issuer: string;
  port: number;
  /** The address of the store. */
  store: string;
  client: { id: string; clientId: string; clientSecret: string };
  /** The id of the public client that apps are, which sign in through the relay of the store. */
  appClient: string;
  accounts: Map<string, Account>;
};

/**
 * The OpenID provider of a company, behind a proxy with TLS: oidc-provider, with accounts by name and without passwords.
 * @returns a function that sends the logout token of an account to the store, and one that knows its access tokens
 */
export async function openIdentityProvider({ issuer, port, store, client, appClient, accounts }: Options) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [`${store}/sign-in/${client.id}/callback`],
        backchannel_logout_uri: `${store}/sign-in/${client.id}/logout`,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
      {
        ...{ client_id: appClient, token_endpoint_auth_method: 'none', response_types: ['code'] },
        ...{ redirect_uris: [`${store}/apps/oauth/callback`], grant_types: ['authorization_code'] },
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) =>
      accounts.has(accountId)
        ? {
            accountId,
            claims: async () => ({
              sub: accountId,
              email_verified: true,
              ...(accounts.get(accountId) as Account),
            }),
          }
        : undefined,
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant(context) {
      const grant = await grantAtOnce(context);
      const resource = context.oidc.params?.resource;
      if (grant && typeof resource === 'string') grant.addResourceScope(resource, SCOPE);
      await grant?.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: SCOPE, accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
    // The store has a private address, which the library refuses by default.
    fetch: (input, init) => fetch(input, { ...init, ...({ dispatcher: undefined } as object) }),
    pkce: { required: () => true },
    jwks: { keys: [signingJwk()] },
    cookies: { keys: ['a key of a test'] },
  });
  provider.proxy = true;
  const callback = provider.callback();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (!pathname.startsWith('/interaction/')) return void callback(request, response);
    const accountId = searchParams.get('account');
    // The page on which a user would type a name and a password.
    if (accountId === null) return void response.end('Sign in');
    return void provider.interactionFinished(request, response, { login: { accountId } });
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    /** The account to which an access token was issued; undefined for any other text. */
    accountOf: async (token: string) => (await provider.AccessToken.find(token))?.accountId,
    /** An access token of an account, as the developer of a server has one. */
    async tokenFor(accountId: string): Promise<string> {
      const client = await provider.Client.find(appClient);
      if (!client) throw new Error('The provider has no client for apps.');
      const given = { accountId, client, grantId: 'none', gty: 'authorization_code', scope: SCOPE };
      return new provider.AccessToken(given as ConstructorParameters<typeof provider.AccessToken>[0]).save();
    },
    async logOut(accountId: string): Promise<void> {
      const found = await provider.Client.find(client.clientId);
      await (
        found as unknown as { backchannelLogout(sub: string, sid: string): Promise<void> }
      ).backchannelLogout(accountId, '');
    },
  };
}
