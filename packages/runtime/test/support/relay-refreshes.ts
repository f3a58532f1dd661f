import type { Named } from './relay-requests.ts';

/** The answer of a token endpoint to a refresh request, and its outcome. */
export type RefreshVector = Named & {
  status: number;
  contentType: string;
  body: string;
  outcome: 'tokens' | 'refused' | 'outage';
  /** The error code of the server in lower case, if it sent one. */
  error?: string;
  /** The lifetime of the access token; null when the server does not send it. */
  lifetimeSeconds?: number | null;
};

type Rest = Partial<RefreshVector>;

const vector = (name: string, why: string, [status, body]: [number, unknown], rest: Rest): RefreshVector => ({
  ...{ name, why, status, contentType: 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  outcome: 'outage',
  ...rest,
});

const refused = (error?: string): Rest => ({ outcome: 'refused', ...(error && { error }) });
const tokens = (lifetimeSeconds: number | null): Rest => ({ outcome: 'tokens', lifetimeSeconds });
const TOKENS = { access_token: 'at', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt' };
const HTML = { contentType: 'text/html' };
const FORM = { contentType: 'application/x-www-form-urlencoded' };

export const REFRESHES: RefreshVector[] = [
  vector('tokens', 'RFC 6749 section 5.1', [200, TOKENS], tokens(3600)),
  vector('no-type', 'the type can only be Bearer', [200, { ...TOKENS, token_type: undefined }], tokens(3600)),
  vector(
    'seconds-as-text',
    'a positive number all the same',
    [200, { ...TOKENS, expires_in: '60' }],
    tokens(60),
  ),
  ...[-1, 'soon', null, true].map((expires_in, n) =>
    vector(
      `no-lifetime-${n}`,
      'no number of seconds: as if missing',
      [200, { ...TOKENS, expires_in }],
      tokens(null),
    ),
  ),
  vector('lifetime-zero', 'a token that has expired already', [200, { ...TOKENS, expires_in: 0 }], tokens(0)),
  vector('other-type', 'no Bearer token', [200, { ...TOKENS, token_type: 'DPoP' }], {}),
  vector('header-break', 'no header can carry it', [200, { ...TOKENS, access_token: 'a\r\nb' }], {}),
  ...['invalid_grant', 'invalid_client', 'invalid_request', 'unauthorized_client', 'invalid_scope'].map(
    (error) => vector(error.replaceAll('_', '-'), 'RFC 6749 section 5.2', [400, { error }], refused(error)),
  ),
  vector('capital-letters', 'the same code', [400, { error: 'INVALID_GRANT' }], refused('invalid_grant')),
  vector(
    'denied',
    'an error with a status of its own',
    [403, { error: 'access_denied' }],
    refused('access_denied'),
  ),
  vector(
    'error-with-200',
    'some servers do',
    [200, { error: 'bad_refresh_token' }],
    refused('bad_refresh_token'),
  ),
  vector('error-as-form', 'some servers do', [200, 'error=bad_refresh_token'], {
    ...refused('bad_refresh_token'),
    ...FORM,
  }),
  vector('error-is-object', 'no code, but an error', [400, { error: { code: 190 } }], refused()),
  vector('400-html', 'refused, whatever the body says', [400, '<h1>Bad Request</h1>'], {
    ...refused(),
    ...HTML,
  }),
  vector('401-empty', 'refused, whatever the body says', [401, ''], refused()),
  vector('403-html', 'no error of OAuth: a proxy may have answered', [403, '<h1>No</h1>'], HTML),
  vector('404', 'nothing is known of the grant', [404, ''], {}),
  vector('200-html', 'nothing is known of the grant', [200, '<html>'], HTML),
  vector('200-empty-object', 'neither tokens nor an error', [200, {}], {}),
  vector('408', 'too slow', [408, ''], {}),
  vector('429-error', 'too many requests, whatever the body says', [429, { error: 'slow_down' }], {
    error: 'slow_down',
  }),
  vector('500-error', 'the server fails, whatever the body says', [500, { error: 'invalid_grant' }], {}),
  vector('503', 'the server fails', [503, ''], {}),
].map(({ error, ...rest }) => ({
  ...rest,
  ...(error !== undefined && rest.outcome === 'refused' && { error }),
}));
