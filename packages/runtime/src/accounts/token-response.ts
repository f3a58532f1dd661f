import * as oauth from 'oauth4webapi';
import { OAuthError, oauthErrorFrom } from './oauth-error.ts';

/** Tokens as a server gave them. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  /** Milliseconds; null when the server does not say. */
  lifetimeMs: number | null;
  /** Null when the server does not say. */
  scopes: string[] | null;
};

/** What a token endpoint can answer. Every answer is of exactly one kind; see `kindOf` for their order. */
export type ResponseKind =
  | 'unanswered'
  | 'busy'
  | 'server-error'
  | 'oauth-error'
  | 'bad-request'
  | 'tokens'
  | 'unreadable';

/**
 * What each kind means for the grant: it has new tokens, the server refuses it and only a new sign-in helps, or nothing is known and it
 * may work again later.
 */
export const OUTCOMES = {
  /** No connection, no answer in time, a redirect, too many bytes. */
  unanswered: 'outage',
  /** 408 and 429. */
  busy: 'outage',
  /** Any 5xx, whatever its body says: the server has not decided anything. */
  'server-error': 'outage',
  /** An `error` in the body (RFC 6749 section 5.2), of any code, with any status; some servers send it with 200. */
  'oauth-error': 'refused',
  /** 400 and 401 with any other body. */
  'bad-request': 'refused',
  tokens: 'tokens',
  /** Everything else, such as a page of HTML of a proxy. */
  unreadable: 'outage',
} as const satisfies Record<ResponseKind, 'tokens' | 'refused' | 'outage'>;

/** What a token endpoint answered, and what follows from it. */
export type TokenResult =
  | { outcome: 'tokens'; tokens: Tokens }
  | { outcome: 'refused' | 'outage'; fault: OAuthError };

type Fields = Readonly<Record<string, unknown>>;

/** Longest token: a header must hold it. */
const MAX_TOKEN = 8 * 1024;

/** What a header can carry, and nothing that would end it (RFC 6749 appendix A.12, RFC 6750 section 2.1). */
const TOKEN = /^[!-~]+$/;

/** Longest life that is believed: a year. Longer ones overflow dates, and mean the same. */
const MAX_SECONDS = 365 * 24 * 60 * 60;

/** The fields of an answer: JSON, or a form where the server says so. Null for anything else. */
function fieldsIn(text: string, contentType: string): Fields | null {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** A field whatever the letter case of its name. */
const fieldOf = (fields: Fields, name: string): unknown =>
  fields[name] ?? Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1];

/** The `error` of an answer; servers give a code, an object or a number. Null when there is none. */
function errorIn(fields: Fields | null): { error: string; error_description?: string } | null {
  const error = fields && fieldOf(fields, 'error');
  if (!fields || error === undefined || error === null || error === '' || error === false) return null;
  const text = fieldOf(fields, 'error_description');
  return {
    error: typeof error === 'string' ? error : '',
    ...(typeof text === 'string' && { error_description: text }),
  };
}

/** The kind of an answer. The order counts: a server that fails has decided nothing, whatever its body says. */
export function kindOf(status: number, text: string, contentType: string): ResponseKind {
  if (status === 408 || status === 429) return 'busy';
  if (status >= 500) return 'server-error';
  const fields = fieldsIn(text, contentType);
  if (errorIn(fields)) return 'oauth-error';
  if (status === 400 || status === 401) return 'bad-request';
  const isOk = status === 200 || status === 201;
  return isOk && typeof fields?.access_token === 'string' ? 'tokens' : 'unreadable';
}

/** Seconds; undefined unless it is a positive number, also one that is written as text. */
function secondsIn(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
  const seconds = isNumber ? Number(value) : Number.NaN;
  return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : undefined;
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN ? value : undefined;

/** An answer as RFC 6749 section 5.1 wants it. Many servers leave out the type, which can only be this one. */
const conforming = (fields: Fields): Record<string, unknown> => ({
  access_token: fields.access_token,
  token_type: fields.token_type ?? 'bearer',
  expires_in: secondsIn(fields.expires_in),
  refresh_token: textIn(fields.refresh_token),
  scope: textIn(fields.scope),
});

/** The tokens of an answer; null when they are none that can be used. ID tokens are not looked at. */
async function tokensIn(fields: Fields): Promise<Tokens | null> {
  const response = Response.json(conforming(fields));
  const server = { issuer: 'https://issuer.invalid' };
  try {
    const answer = await oauth.processRefreshTokenResponse(server, { client_id: 'client' }, response);
    const { access_token, token_type, expires_in, refresh_token, scope } = answer;
    if (token_type !== 'bearer' || !TOKEN.test(access_token) || access_token.length > MAX_TOKEN) return null;
    return {
      accessToken: access_token,
      refreshToken: refresh_token ?? null,
      lifetimeMs: expires_in === undefined ? null : expires_in * 1000,
      scopes: scope === undefined ? null : scope.split(' ').filter((word) => word !== ''),
    };
  } catch {
    return null;
  }
}

/** What is shown of an answer without tokens. */
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

/** An answer that was read: its kind, its fields, and what is shown of it when it holds no tokens. */
export async function readResponse(response: Response, secrets: readonly (string | null)[]) {
  const { status, headers } = response;
  const contentType = (headers.get('content-type') ?? '').toLowerCase();
  const text = await response.text();
  const fields = fieldsIn(text, contentType);
  const kind = kindOf(status, text, contentType);
  return { kind, fields, fault: faultOf(kind, status, fields, secrets) };
}

/**
 * Reads what a token endpoint answers.
 * @param request rejects with a OAuthError when there is no answer
 * @param secrets what was sent, which no message may repeat
 */
export async function tokenResult(
  request: Promise<Response>,
  secrets: readonly (string | null)[],
): Promise<TokenResult> {
  try {
    const { kind, fields, fault } = await readResponse(await request, secrets);
    const tokens = kind === 'tokens' && fields ? await tokensIn(fields) : null;
    if (tokens) return { outcome: 'tokens', tokens };
    return { outcome: OUTCOMES[kind === 'tokens' ? 'unreadable' : kind], fault };
  } catch (error) {
    if (error instanceof OAuthError) return { outcome: OUTCOMES.unanswered, fault: error };
    throw error;
  }
}
