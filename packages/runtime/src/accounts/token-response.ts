import { isObject } from '@svc/contracts/is-object';
import { cleanLine } from '@svc/text';
import * as oauth from 'oauth4webapi';
import { ANSWERS, bytesOf, parseAnswer } from '../network/read-answer.ts';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';

/** The tokens of a token response. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  /** Milliseconds; null when the server does not say. */
  lifetimeMs: number | null;
  /** Null when the server does not say. */
  scopes: string[] | null;
  /** Who signed in, as the server names that account. To be shown, and never a reason to trust. */
  holder?: string;
};

/**
 * What each kind means for the grant: new tokens, refused (the user must sign in again), or an outage (retry later).
 */
export const OUTCOMES = {
  /** No connection, a timeout, a redirect, or too many bytes. */
  unanswered: 'outage',
  /** 408 and 429. */
  busy: 'outage',
  /** Any 5xx, whatever its body: the server has not decided about the grant. */
  'server-error': 'outage',
  /** An `error` in the body (RFC 6749 section 5.2), of any code, with any status; some servers send it with 200. */
  'oauth-error': 'refused',
  /** 400 and 401 with any other body. */
  'bad-request': 'refused',
  tokens: 'tokens',
  /** Everything else, such as the HTML page of a proxy. */
  unreadable: 'outage',
} as const satisfies Record<string, 'tokens' | 'refused' | 'outage'>;

/** The kinds of token responses. Each response has exactly one kind; `kindOf` defines their order. */
export type ResponseKind = keyof typeof OUTCOMES;

/** The outcome of a token request. */
export type TokenResult =
  | { outcome: 'tokens'; tokens: Tokens }
  | { outcome: 'refused' | 'outage'; fault: OAuthError };

type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a token: it must fit into a header. */
const MAX_TOKEN = 8 * 1024;

/** Characters that a header can carry (RFC 6749 appendix A.12, RFC 6750 section 2.1). */
const TOKEN = /^[!-~]+$/;

/** Maximum token lifetime: a year. Longer ones could overflow dates. */
const MAX_SECONDS = 365 * 24 * 60 * 60;

const formIn = (text: string): Fields => Object.fromEntries(new URLSearchParams(text));

/** The fields of a response in JSON, or form-encoded if its content type says so, or names plain text. Null for anything else. */
function fieldsIn(text: string, contentType: string): Fields | null {
  if (contentType.startsWith('application/x-www-form-urlencoded')) return formIn(text);
  try {
    const value: unknown = parseAnswer(text);
    return isObject(value) ? value : null;
  } catch {
    return contentType.startsWith('text/plain') ? formIn(text) : null;
  }
}

/** The fields with the token: Slack nests those of a user, and others send an envelope. */
const granted = (fields: Fields): Fields =>
  [fields, fields.authed_user, fields.data].find(
    (part): part is Fields => isObject(part) && typeof part.access_token === 'string',
  ) ?? fields;

const fieldOf = (fields: Fields, name: string): unknown =>
  fields[name] ?? Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1];

/** The `error` of a response: servers send a code, an object or a number. Null when there is none. */
function errorIn(fields: Fields | null): { error: string; error_description?: string } | null {
  const error = fields && fieldOf(fields, 'error');
  if (error === undefined || error === null || error === '' || error === false) return null;
  const text = fieldOf(fields, 'error_description');
  return {
    error: typeof error === 'string' ? error : '',
    ...(typeof text === 'string' && { error_description: text }),
  };
}

/** The kind of a response. The order matters: a failing server has not decided about the grant, whatever its body. */
export function kindOf(status: number, text: string, contentType: string): ResponseKind {
  if (status === 408 || status === 429) return 'busy';
  if (status >= 500) return 'server-error';
  const fields = fieldsIn(text, contentType);
  if (errorIn(fields)) return 'oauth-error';
  if (status === 400 || status === 401) return 'bad-request';
  const isOk = status === 200 || status === 201;
  return isOk && fields && typeof granted(fields).access_token === 'string' ? 'tokens' : 'unreadable';
}

/** A number of seconds, also as text; undefined for anything else. 0 is a token that has expired already. */
function secondsIn(value: unknown): number | undefined {
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}(\.\d{1,9})?$/.test(value));
  const seconds = isNumber ? Number(value) : Number.NaN;
  return seconds >= 0 ? Math.min(seconds, MAX_SECONDS) : undefined;
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN ? value : undefined;

/** Types of tokens that need a proof of possession (RFC 9449), or are not for access (RFC 8693). */
const NO_BEARER = /^(dpop|mac|pop|n_a)$/i;

/**
 * The token type. The requests ask for bearer tokens only: many servers omit the type, and some send names of their own, such as `user`
 * (Slack) or `BearerToken` (Apigee).
 */
const typeIn = (value: unknown = 'bearer'): unknown =>
  value === null || (typeof value === 'string' && !NO_BEARER.test(value)) ? 'bearer' : value;

/** Normalises a response to RFC 6749 section 5.1. */
const conforming = (fields: Fields): Record<string, unknown> => ({
  access_token: fields.access_token,
  token_type: typeIn(fields.token_type),
  expires_in: secondsIn(fields.expires_in),
  refresh_token: textIn(fields.refresh_token),
  scope: textIn(fields.scope),
});

/** Claims that name an account, the most telling first (OpenID Connect Core 1.0, section 5.1). */
const NAMES = ['email', 'preferred_username', 'name'] as const;
const MAX_HOLDER = 120;

/** The claims of a JWT (RFC 7519 section 3); null for any other text. The server of the tokens itself sent it, so its signature is not needed to show it. */
function claimsIn(token: unknown): Fields | null {
  const [, payload, ...rest] =
    typeof token === 'string' && token.length <= 4 * MAX_TOKEN ? token.split('.') : [];
  if (payload === undefined || rest.length !== 1) return null;
  return fieldsIn(Buffer.from(payload, 'base64url').toString(), '');
}

/** Who signed in, from the claims of the ID token or of the access token. */
function holderIn(fields: Fields): string | null {
  for (const claims of [claimsIn(fields.id_token), claimsIn(fields.access_token)])
    for (const name of NAMES) {
      const value = claims?.[name];
      const text = typeof value === 'string' ? cleanLine(value.slice(0, 8 * MAX_HOLDER), MAX_HOLDER) : '';
      if (text !== '') return text;
    }
  return null;
}

/** The tokens of a response; null when they cannot be used. An ID token only tells who signed in. */
async function tokensIn(fields: Fields): Promise<Tokens | null> {
  const response = Response.json(conforming(fields));
  const server = { issuer: 'https://issuer.invalid' };
  try {
    const answer = await oauth.processRefreshTokenResponse(server, { client_id: 'client' }, response);
    const { access_token, token_type, expires_in, refresh_token, scope } = answer;
    const holder = holderIn(fields);
    if (token_type !== 'bearer' || !TOKEN.test(access_token) || access_token.length > MAX_TOKEN) return null;
    return {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      lifetimeMs: expires_in === undefined ? null : expires_in * 1000,
      scopes: scope === undefined ? null : scope.split(/[ ,]/).filter((word) => word !== ''),
      ...(holder !== null && { holder }),
    };
  } catch {
    return null;
  }
}

/** The error of a response without tokens. */
function faultOf(
  kind: ResponseKind,
  status: number,
  fields: Fields | null,
  secrets: readonly (string | null)[],
): OAuthError {
  const error = kind === 'oauth-error' ? errorIn(fields) : null;
  if (error) return oauthErrorFrom(error, secrets);
  if (kind === 'bad-request') return new OAuthError(`The authorization server refuses (${status}).`);
  if (kind === 'busy' || kind === 'server-error') {
    return new OAuthError(`The authorization server fails (${status}).`);
  }
  return new OAuthError(`The authorization server answers ${status} without a token.`);
}

/** Reads a response: its kind, its fields, and the error to show if it has no tokens. */
export async function readResponse(response: Response, secrets: readonly (string | null)[]) {
  const { status, headers } = response;
  const contentType = (headers.get('content-type') ?? '').toLowerCase();
  const text = (await bytesOf(response, ANSWERS.authorizationServer.maxBytes)).toString();
  const fields = fieldsIn(text, contentType);
  const kind = kindOf(status, text, contentType);
  return { kind, fields, fault: faultOf(kind, status, fields, secrets) };
}

/**
 * Reads the response of a token endpoint.
 * @param request rejects with an OAuthError when there is no response
 * @param secrets values of the request, which no message may contain
 */
export async function tokenResult(
  request: Promise<Response>,
  secrets: readonly (string | null)[],
): Promise<TokenResult> {
  try {
    const { kind, fields, fault } = await readResponse(await request, secrets);
    const tokens = kind === 'tokens' && fields ? await tokensIn(granted(fields)) : null;
    if (tokens) return { outcome: 'tokens', tokens };
    return { outcome: OUTCOMES[kind === 'tokens' ? 'unreadable' : kind], fault };
  } catch (error) {
    if (error instanceof OAuthError) return { outcome: OUTCOMES.unanswered, fault: error };
    throw error;
  }
}
