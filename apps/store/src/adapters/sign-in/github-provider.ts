import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  fetchProtectedResource,
} from 'openid-client';
import { z } from 'zod';
import type { ProvenIdentity, Provider, ProviderRules } from '../../features/people/provider.ts';
import { ApiError } from '../../platform/api-error.ts';
import { isLoopback } from './is-loopback.ts';
import { configure, type Fetch, providerFault } from './provider-client.ts';

/** GitHub, or a GitHub Enterprise Server, as configured. */
export type GitHubSettings = {
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
export function createGitHubProvider(settings: GitHubSettings, fetch: Fetch): Provider {
  const { id, label, clientId, clientSecret, authorizeUrl, tokenUrl, apiUrl } = settings;
  const issuer = new URL(authorizeUrl).origin;
  const server = { issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl };
  const config = configure(new Configuration(server, clientId, {}, ClientSecretPost(clientSecret)), fetch);
  if ([tokenUrl, apiUrl].every((url) => isLoopback(new URL(url)))) allowInsecureRequests(config);

  async function ask<T>(shape: z.ZodType<T>, token: string, path: string): Promise<T> {
    const headers = new Headers({ Accept: 'application/vnd.github+json', 'User-Agent': 'svc-store' });
    const answer = await fetchProtectedResource(config, token, new URL(apiUrl + path), 'GET', null, headers);
    const parsed = shape.safeParse(answer.ok ? await answer.json() : undefined);
    if (parsed.success) return parsed.data;
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
    } satisfies ProvenIdentity;
  }

  return {
    id,
    label,
    issuer,
    rules: settings.rules,
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
        throw providerFault(error);
      }
    },
  };
}
