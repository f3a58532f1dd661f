import { generateKeyPairSync } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Configuration, errors, Provider } from 'oidc-provider';
import { secretOf } from '../database.ts';
import { errorPage } from './pages.ts';
import { recordsIn } from './records.ts';

/** The one scope: its holder may see, add and remove what is on the person's board. */
export const SCOPE = 'board';

const DAY = 24 * 60 * 60;

export type SignInOptions = {
  database: DatabaseSync;
  /** Where this server is; also the name it signs with. */
  origin: string;
  /** Whom access tokens are for (RFC 8707): the address of the MCP server. */
  resource: string;
  /** Seconds for which an access token is good. */
  accessTokenSeconds: number;
};

function signingKey(database: DatabaseSync) {
  const make = () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' });
  };
  return JSON.parse(secretOf(database, 'signing-key', make));
}

const features = ({ resource }: SignInOptions): Configuration['features'] => ({
  devInteractions: { enabled: false },
  registration: { enabled: true },
  revocation: {
    enabled: true,
    allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
  },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  resourceIndicators: {
    enabled: true,
    getResourceServerInfo: (_context, indicator) => {
      if (indicator !== resource) throw new errors.InvalidTarget();
      return { scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' };
    },
    useGrantedResource: () => true,
  },
});

/**
 * The authorization server: public clients that register themselves, PKCE always, tokens for one resource, refresh tokens that
 * are taken once. A refresh token that comes twice was stolen from a person, so that all tokens of its grant end with it.
 */
export function createProvider(options: SignInOptions): Provider {
  const { database, origin, accessTokenSeconds } = options;
  const provider = new Provider(origin, {
    adapter: recordsIn(database),
    jwks: { keys: [signingKey(database)] },
    cookies: {
      keys: [secretOf(database, 'cookie-key')],
      long: { sameSite: 'lax' },
      short: { sameSite: 'lax' },
    },
    features: features(options) ?? {},
    scopes: ['openid', SCOPE],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    subjectTypes: ['public'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: 30 * DAY,
      Grant: 30 * DAY,
      IdToken: 3600,
      Interaction: 3600,
      Session: DAY,
    },
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    renderError: (context, out) => {
      context.type = 'html';
      context.body = errorPage(out.error_description ?? out.error);
    },
    // What a client registers may name addresses. None of them is ever asked.
    fetch: () => Promise.reject(new Error('This server asks no other.')),
  });
  // Addresses in its answers begin with https only when it may believe that a proxy speaks TLS for it; see `listen.ts`.
  provider.proxy = origin.startsWith('https:');
  return provider;
}
