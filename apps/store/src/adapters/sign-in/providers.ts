import { isThisMachine } from '@svc/contracts/this-machine';
import { ANSWERS, jsonOf } from '@svc/runtime/read-answer';
import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as joseFetch, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  fetchUserInfo,
  refreshTokenGrant,
} from 'openid-client';
import { z } from 'zod';
import {
  type ProvenIdentity,
  type Provider,
  type ProviderRules,
  type Providers,
  providerAway,
} from '../../core/people/provider.ts';
import { groupsIn } from '../../core/people/provider-access.ts';
import { ApiError } from '../../platform/api-error.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import {
  configure,
  type Fetch,
  isRefusal,
  PROVIDER_SECONDS,
  providerFault,
  providerFetch,
} from './provider-client.ts';

/** An OpenID provider, as configured. */
type OpenIdSettings = {
  id: string;
  label: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  rules: ProviderRules;
  /** Parameters that the provider needs besides the standard ones, such as `prompt` or `access_type`. */
  params: Readonly<Record<string, string>>;
};

/** Standard claims (OpenID Connect Core 1.0 section 5.1); a claim of another type counts as missing. */
const Claims = z.object({
  name: z.string().trim().min(1).optional().catch(undefined),
  preferred_username: z.string().trim().min(1).optional().catch(undefined),
  email: z.string().trim().toLowerCase().pipe(z.email()).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** Reads the metadata of the provider and its client authentication method. */
async function discover(settings: OpenIdSettings, fetch: Fetch): Promise<Configuration> {
  const issuer = new URL(settings.issuer);
  // Only those of this machine may be used without https: for tests, and for a provider beside the store.
  const insecure = isThisMachine(issuer.hostname) ? [allowInsecureRequests] : [];
  const discovered = await discovery(issuer, settings.clientId, undefined, undefined, {
    [customFetch]: providerFetch(fetch, settings),
    timeout: PROVIDER_SECONDS,
    execute: insecure,
  });
  const server = discovered.serverMetadata();
  // OpenID Connect Discovery 1.0 section 3: client_secret_basic is the default.
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const showSecret = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
  const config = new Configuration(server, settings.clientId, {}, showSecret(settings.clientSecret));
  for (const extend of [...insecure, enableNonRepudiationChecks]) extend(config);
  return configure(config, fetch, settings);
}

/** The keys with which a provider signs logout tokens. */
function createLogoutKeys(config: Configuration, settings: OpenIdSettings, fetch: Fetch): JWTVerifyGetKey {
  const { jwks_uri } = config.serverMetadata();
  if (jwks_uri === undefined) throw new Error('The provider names no keys.');
  return createRemoteJWKSet(new URL(jwks_uri), {
    [joseFetch]: providerFetch(fetch, settings) as typeof globalThis.fetch,
    timeoutDuration: PROVIDER_SECONDS * 1_000,
  });
}

/** The event of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4). */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** How old a logout token may be: one that was recorded must not end later sessions. */
const MAX_LOGOUT_AGE = '5 minutes';

/**
 * Verifies a logout token (section 2.6), and returns its subject. Tokens that only name a session (`sid`) are refused.
 * @throws ApiError invalid_request, without a reason that would help to forge one
 */
async function subjectOfLogout(
  token: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; audience: string },
): Promise<string> {
  const refused = () =>
    new ApiError('invalid_request', 'This is no logout token of the provider for this store.');
  const verified = await jwtVerify(token, keys, {
    ...expected,
    maxTokenAge: MAX_LOGOUT_AGE,
    clockTolerance: '1 minute',
    requiredClaims: ['iat', 'jti', 'events', 'sub'],
  }).catch((error: unknown) => {
    if (error instanceof UnavailableError) throw error;
    throw refused();
  });
  const { sub, events, nonce } = verified.payload;
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  // A nonce is only in ID tokens, which must not pass as logout tokens.
  if (!isLogout || nonce !== undefined || sub === undefined) throw refused();
  return sub;
}

/** Shares one attempt among all callers; a failed attempt is not cached. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | null = null;
  return () => {
    value ??= make().catch((error: unknown) => {
      value = null;
      throw error;
    });
    return value;
  };
}

/** Whether the store asks for a refresh token that outlives the session at the provider (OpenID Connect Core 1.0 section 11). */
const asksForGrant = (config: Configuration, { rules, params }: OpenIdSettings): boolean =>
  rules.groups !== null &&
  rules.scim === null &&
  (config.serverMetadata().scopes_supported?.includes('offline_access') === true ||
    Object.keys(params).length > 0);

/** The claims of a user at the endpoint for them; none where a provider has no such endpoint. */
const moreClaims = async (config: Configuration, accessToken: string, subject: string) =>
  config.serverMetadata().userinfo_endpoint === undefined ? {} : fetchUserInfo(config, accessToken, subject);

/**
 * Exchanges a refresh token for what the provider says now (OpenID Connect Core 1.0 section 12). A claim of groups that is missing beside an
 * ID token means no groups, as at a sign-in; without an ID token it says nothing.
 */
async function refreshed(config: Configuration, { rules }: OpenIdSettings, grant: string, subject: string) {
  const tokens = await refreshTokenGrant(config, grant);
  const idToken = tokens.claims();
  if (idToken !== undefined && idToken.sub !== subject) return null;
  // The refresh token may count once: the new one is kept also when the endpoint does not answer.
  const more = await moreClaims(config, tokens.access_token, subject).catch((error: unknown) => {
    if (isRefusal(error)) throw error;
    return null;
  });
  const groups = rules.groups && groupsIn(rules.groups.claim, { ...idToken, ...more });
  const saysNone = idToken !== undefined && more !== null;
  return { grant: tokens.refresh_token ?? grant, groups: groups ?? (saysNone ? [] : null) };
}

/** An OpenID Connect provider. Its metadata is read at the first sign-in. */
function createOpenIdProvider(settings: OpenIdSettings, fetch: Fetch): Provider {
  const { id, label, issuer, clientId, rules } = settings;
  const configuration = lazily(() => discover(settings, fetch));
  const keys = lazily(async () => createLogoutKeys(await configuration(), settings, fetch));
  const orAway = (cause: unknown): never => {
    throw providerAway(settings, cause);
  };
  const ready = () => configuration().catch(orAway);

  async function exchange(
    config: Configuration,
    secrets: Parameters<Provider['end']>[0],
    callback: URL,
  ): Promise<ProvenIdentity> {
    const tokens = await authorizationCodeGrant(config, callback, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.verifier,
      idTokenExpected: true,
    });
    const { sub, ...idTokenClaims } = tokens.claims() ?? { sub: '' };
    const claims = { ...idTokenClaims, ...(await moreClaims(config, tokens.access_token, sub)) };
    const { name, preferred_username, email, email_verified } = Claims.parse(claims);
    const account = email ?? preferred_username ?? sub;
    return {
      issuer,
      subject: sub,
      label: account,
      name: name ?? preferred_username ?? account,
      email: email ?? null,
      emailVerified: email !== undefined && email_verified === true,
      groups: rules.groups && groupsIn(rules.groups.claim, claims),
      grant: asksForGrant(config, settings) ? (tokens.refresh_token ?? null) : null,
    };
  }

  return {
    id,
    label,
    issuer,
    rules,
    check: () => discover(settings, fetch).then(() => {}, orAway),
    async readLogout(token) {
      await ready();
      return subjectOfLogout(token, await keys(), { issuer, audience: clientId });
    },
    async begin({ state, nonce, verifier }, redirectUri) {
      const config = await ready();
      const keeps = config.serverMetadata().scopes_supported?.includes('offline_access');
      return buildAuthorizationUrl(config, {
        ...settings.params,
        redirect_uri: redirectUri,
        scope: `openid profile email${keeps && asksForGrant(config, settings) ? ' offline_access' : ''}`,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    async end(secrets, callback) {
      const config = await ready();
      try {
        return await exchange(config, secrets, callback);
      } catch (error) {
        throw providerFault(error, settings);
      }
    },
    async confirm(grant, subject) {
      const config = await ready();
      try {
        return await refreshed(config, settings, grant, subject);
      } catch (error) {
        if (isRefusal(error)) return null;
        throw providerAway(settings, error);
      }
    },
  };
}

/** GitHub, or a GitHub Enterprise Server, as configured. */
type GitHubSettings = {
  id: string;
  label: string;
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  apiUrl: string;
  rules: ProviderRules;
};

const User = z.object({ id: z.int(), login: z.string(), name: z.string().nullish() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const Email = z.string().trim().toLowerCase().pipe(z.email());

/** GitHub as an identity provider. It supports OAuth 2.0 without OpenID Connect, so its API is queried for the user. */
function createGitHubProvider(settings: GitHubSettings, fetch: Fetch): Provider {
  const { id, label, clientId, clientSecret, authorizeUrl, tokenUrl, apiUrl } = settings;
  const issuer = new URL(authorizeUrl).origin;
  const server = { issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl };
  const config = configure(
    new Configuration(server, clientId, {}, ClientSecretPost(clientSecret)),
    fetch,
    settings,
  );
  if ([tokenUrl, apiUrl].every((url) => isThisMachine(new URL(url).hostname))) allowInsecureRequests(config);

  async function ask<T>(shape: z.ZodType<T>, token: string, path: string): Promise<T> {
    const headers = new Headers({ Accept: 'application/vnd.github+json', 'User-Agent': 'svc-store' });
    const answer = await fetchProtectedResource(config, token, new URL(apiUrl + path), 'GET', null, headers);
    const found = answer.ok
      ? await jsonOf(answer, ANSWERS.authorizationServer.maxBytes, shape).catch(() => undefined)
      : undefined;
    if (found !== undefined) return found;
    throw new ApiError(
      'forbidden',
      `${label} did not say who you are: begin again, and grant what it asks for.`,
    );
  }

  async function exchange({ state, verifier }: Parameters<Provider['end']>[0], callback: URL) {
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const { access_token } = await authorizationCodeGrant(config, callback, checks);
    const user = await ask(User, access_token, '/user');
    const emails = await ask(Emails, access_token, '/user/emails');
    const primary = emails.find((email) => email.primary);
    const email = Email.safeParse(primary?.email).data ?? null;
    return {
      issuer,
      // A login can be reassigned to another user; the numeric id never is.
      subject: String(user.id),
      label: user.login,
      name: user.name?.trim() || user.login,
      email,
      emailVerified: email !== null && primary?.verified === true,
      groups: null,
      grant: null,
    } satisfies ProvenIdentity;
  }

  return {
    id,
    label,
    issuer,
    rules: settings.rules,
    async check() {
      const signal = AbortSignal.timeout(PROVIDER_SECONDS * 1_000);
      const request = { method: 'HEAD', headers: {}, body: undefined, redirect: 'manual', signal } as const;
      await providerFetch(fetch, settings)(issuer, request);
    },
    async readLogout() {
      throw new ApiError('not_found', 'GitHub sends no logout tokens.');
    },
    async begin({ state, verifier }, redirectUri) {
      return buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    async end(secrets, callback) {
      try {
        return await exchange(secrets, callback);
      } catch (error) {
        throw providerFault(error, settings);
      }
    },
    // Its groups decide nothing, and it gives no refresh token.
    confirm: async () => null,
  };
}

/** A configured provider. */
export type ProviderSettings = (OpenIdSettings & { type: 'openid' }) | (GitHubSettings & { type: 'github' });

const create = (settings: ProviderSettings, fetch: Fetch): Provider =>
  settings.type === 'github' ? createGitHubProvider(settings, fetch) : createOpenIdProvider(settings, fetch);

/** Creates the configured identity providers. Sends no request yet. */
export const createProviders = (settings: readonly ProviderSettings[], fetch: Fetch): Providers =>
  new Map(settings.map((provider) => [provider.id, create(provider, fetch)]));
