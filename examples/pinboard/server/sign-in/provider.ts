import { generateKeyPairSync } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Configuration, errors, Provider } from 'oidc-provider';
import { secretOf } from '../database.ts';
import { errorPage } from './pages.ts';
import { recordsIn } from './records.ts';

/** The only scope: see, add and remove pins on the board of the user. */
export const SCOPE = 'board';

const DAY = 24 * 60 * 60;

export type SignInOptions = {
  database: DatabaseSync;
  /** Origin of this server; also the issuer. */
  origin: string;
  /** Audience of access tokens (RFC 8707): the URL of the MCP server. */
  resource: string;
  /** Lifetime of an access token, in seconds. */
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
 * The authorization server: dynamic registration of public clients, mandatory PKCE, tokens for one resource, single-use refresh
 * tokens. A refresh token that is used twice was stolen, so all tokens of its grant are revoked.
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
    // The metadata of a client may contain URLs. The server never requests them.
    fetch: () => Promise.reject(new Error('This server sends no requests.')),
  });
  // URLs in its responses begin with https only if it trusts the headers of its TLS proxy; see `listen.ts`.
  provider.proxy = origin.startsWith('https:');
  return provider;
}
