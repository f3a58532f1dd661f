import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { Grant, SignInClient } from './grant.ts';
import { objectIn, type Requests } from './requests.ts';
import { refusedBy, SignInFault } from './sign-in-fault.ts';
import { asServer } from './sign-in-server.ts';

/** Where tokens are fetched, who fetches them, and whom they are for. */
export type TokenSource = Pick<Grant, 'server' | 'client' | 'resource'>;

/** Tokens as a server gave them. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  /** Milliseconds; null when the server does not say. */
  lifetimeMs: number | null;
  /** Null when the server does not say. */
  scopes: string[] | null;
};

/** Longest token: a header must hold it. */
const MOST_TOKEN = 8 * 1024;

/** What a header can carry, and nothing that would end it (RFC 6749 appendix A.12, RFC 6750 section 2.1). */
const TokenText = z
  .string()
  .min(1)
  .max(MOST_TOKEN)
  .regex(/^[!-~]+$/);

/** Longest life that is believed: a year. Longer ones overflow dates, and mean the same. */
const MOST_SECONDS = 365 * 24 * 60 * 60;

/** Some servers send the number as text. */
const Seconds = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.number().min(0))
  .transform((seconds) => Math.min(seconds, MOST_SECONDS));

/** RFC 6749 section 5.1. Many servers leave out the type, which can only be this one; ID tokens are not looked at. */
const TokenAnswer = z.object({
  access_token: TokenText,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .nullish(),
  expires_in: Seconds.nullish(),
  refresh_token: TokenText.nullish(),
  scope: z.string().max(MOST_TOKEN).nullish(),
});

/** RFC 6749 section 5.2. Some servers send it with status 200. */
const ErrorAnswer = z.object({
  error: z.string(),
  error_description: z.string().optional().catch(undefined),
});

/** As forms are encoded, which RFC 6749 section 2.3.1 asks for; many servers do not undo more than that. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** HTTP Basic. That of oauth4webapi encodes hyphens too, which servers that decode nothing take for another client. */
const basic =
  (secret: string): oauth.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${formEncoded(client_id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };

const clientAuth = ({ secret, method }: SignInClient): oauth.ClientAuth => {
  if (secret === null || method === 'none') return oauth.None();
  return method === 'client_secret_basic' ? basic(secret) : oauth.ClientSecretPost(secret);
};

/** What every request to a server says. */
const optionsOf = ({ resource }: TokenSource, requests: Requests) => ({
  [oauth.customFetch]: requests.fetch,
  [oauth.allowInsecureRequests]: requests.allowLoopback !== false,
  ...(resource !== null && { additionalParameters: { resource } }),
});

/**
 * Reads what a token endpoint answered.
 * @param secrets what was sent, which no message may repeat
 * @throws SignInFault
 */
async function readTokens(response: Response, secrets: readonly (string | null)[]): Promise<Tokens> {
  const { status } = response;
  if (status >= 500 || status === 429) throw new SignInFault(`The sign-in server fails (${status}).`);
  const body = await objectIn(response, 'The answer of the sign-in server');
  const refusal = ErrorAnswer.safeParse(body);
  if (refusal.success) throw refusedBy(refusal.data, secrets);
  const answer = TokenAnswer.safeParse(body);
  if (status !== 200 || !answer.success) {
    throw new SignInFault('The sign-in server answers with something that is no token.');
  }
  const { access_token, refresh_token, expires_in, scope } = answer.data;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    lifetimeMs: expires_in == null ? null : expires_in * 1000,
    scopes: scope == null ? null : scope.split(' ').filter((word) => word !== ''),
  };
}

/** Exchanges a code (RFC 6749 section 4.1.3). Rejects with a SignInFault. */
export async function exchangeCode(
  source: TokenSource,
  requests: Requests,
  { answer, redirectUri, verifier }: { answer: URLSearchParams; redirectUri: string; verifier: string },
): Promise<Tokens> {
  const { client } = source;
  const response = await oauth.authorizationCodeGrantRequest(
    asServer(source.server),
    { client_id: client.id },
    clientAuth(client),
    answer,
    redirectUri,
    verifier,
    optionsOf(source, requests),
  );
  return readTokens(response, [answer.get('code'), verifier, client.secret]);
}

/** Renews an access token (RFC 6749 section 6). Rejects with a SignInFault. */
export async function renewTokens(grant: Grant, refreshToken: string, requests: Requests): Promise<Tokens> {
  const { client } = grant;
  const response = await oauth.refreshTokenGrantRequest(
    asServer(grant.server),
    { client_id: client.id },
    clientAuth(client),
    refreshToken,
    optionsOf(grant, requests),
  );
  return readTokens(response, [refreshToken, grant.accessToken, client.secret]);
}

/** Takes a token back (RFC 7009): the refresh token, or else the access token. Rejects with a SignInFault. */
export async function revokeTokens(grant: Grant, requests: Requests): Promise<void> {
  const { client, refreshToken, accessToken } = grant;
  const hint = refreshToken === null ? 'access_token' : 'refresh_token';
  const response = await oauth.revocationRequest(
    asServer(grant.server),
    { client_id: client.id },
    clientAuth(client),
    refreshToken ?? accessToken,
    { ...optionsOf({ ...grant, resource: null }, requests), additionalParameters: { token_type_hint: hint } },
  );
  if (response.ok) return;
  const refusal = ErrorAnswer.safeParse(await response.json().catch(() => null));
  if (refusal.success) throw refusedBy(refusal.data, [refreshToken, accessToken, client.secret]);
  throw new SignInFault(`The sign-in server does not revoke the token (${response.status}).`);
}
