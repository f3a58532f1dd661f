import type { RelayResult } from '@svc/contracts';
import type { AuthorizationServer } from '../../src/accounts/discovery/server-metadata.ts';
import { LOGIN, type Named } from './relay-requests.ts';

/** The fields of the authorization server that the check of an answer uses; in the vectors `supportsIss` is `namesItself`. */
type JudgedBy = Pick<AuthorizationServer, 'issuer' | 'authorizationEndpoint' | 'tokenEndpoint'> & {
  namesItself: boolean;
};

/** The answer of the store to a client that requests a result, and what the client does then. */
export type AnswerVector = Named & {
  server: JudgedBy;
  /** The metadata that the issuer of the answer publishes (RFC 8414); none when absent. */
  metadata?: Record<string, string>;
  status: number;
  body: string;
  outcome: 'wait' | 'exchange' | 'fail';
  code?: string;
  error?: string;
};

/** The query of a browser at the callback, and the result that the client receives. */
export type CallbackVector = Named & {
  query: string;
  status: 200 | 400;
  state: string;
  result?: RelayResult;
};

const SERVER: JudgedBy = {
  issuer: LOGIN,
  authorizationEndpoint: `${LOGIN}/authorize`,
  tokenEndpoint: `${LOGIN}/token`,
  namesItself: false,
};
const NAMING = { ...SERVER, namesItself: true };
const DECLARED = { ...SERVER, issuer: null };

const TENANT = `${LOGIN}/tenant`;
const METADATA = {
  issuer: TENANT,
  authorization_endpoint: SERVER.authorizationEndpoint,
  token_endpoint: SERVER.tokenEndpoint,
};

const answer = (name: string, why: string, body: unknown, rest: Partial<AnswerVector>): AnswerVector => ({
  ...{ name, why, server: SERVER, status: 200, body: typeof body === 'string' ? body : JSON.stringify(body) },
  outcome: 'fail',
  ...rest,
});
const good = { outcome: 'exchange', code: 'c' } as const;
const wait = { outcome: 'wait' } as const;

export const ANSWERS: AnswerVector[] = [
  answer('code', 'a code, of a server that does not name itself', { code: 'c' }, good),
  answer(
    'code-and-issuer',
    'a code, and who gave it',
    { code: 'c', iss: LOGIN },
    { ...good, server: NAMING },
  ),
  answer('field-unknown', 'a field that a later store may have', { code: 'c', later: 1 }, good),
  answer(
    'declared',
    'the manifest names the addresses alone, and nobody says who gave the code',
    { code: 'c' },
    { ...good, server: DECLARED },
  ),
  answer(
    'declared-and-issuer',
    'the manifest has only endpoints: an issuer on the same origin, whose metadata names the token endpoint, is that server',
    { code: 'c', iss: TENANT },
    { ...good, server: DECLARED, metadata: METADATA },
  ),
  answer(
    'declared-and-issuer-of-other-token-endpoint',
    'an app with an authorization endpoint of another app, and a token endpoint of its own, gets no code',
    { code: 'c', iss: TENANT },
    { server: { ...DECLARED, tokenEndpoint: 'https://evil.example/token' }, metadata: METADATA },
  ),
  answer(
    'declared-and-issuer-of-other-origin',
    'an issuer on another origin whose metadata names both endpoints is that server',
    { code: 'c', iss: 'https://issuer.example.net' },
    { ...good, server: DECLARED, metadata: { ...METADATA, issuer: 'https://issuer.example.net' } },
  ),
  answer(
    'declared-and-issuer-without-metadata',
    'an issuer without metadata does not say which token endpoint is its own',
    { code: 'c', iss: TENANT },
    { server: DECLARED },
  ),
  answer('pending', 'nothing is there yet, or not any more', { pending: true }, wait),
  answer('too-often', 'the store asks for patience', '', { ...wait, status: 429 }),
  answer('away', 'the store is temporarily unavailable', '<h1>Bad gateway</h1>', { ...wait, status: 502 }),
  answer(
    'refused',
    'the person said no',
    { error: 'access_denied', error_description: 'They said no.' },
    { error: 'access_denied' },
  ),
  answer(
    'refused-by-other',
    'a no of another server',
    { error: 'access_denied', iss: 'https://evil.example' },
    {},
  ),
  answer(
    'issuer-missing',
    'the server names itself in each answer, and in this one nobody does (RFC 9207 section 2.4)',
    { code: 'c' },
    { server: NAMING },
  ),
  answer(
    'issuer-of-other',
    'the code of another server: sent on, it would be given to this one',
    { code: 'c', iss: 'https://evil.example' },
    {},
  ),
  answer(
    'issuer-with-slash',
    'issuers are compared character by character',
    { code: 'c', iss: `${LOGIN}/` },
    { server: NAMING },
  ),
  answer(
    'issuer-in-capitals',
    'issuers are compared character by character',
    { code: 'c', iss: 'https://LOGIN.example.com' },
    { server: NAMING },
  ),
  answer('issuer-empty', 'an empty issuer is another one', { code: 'c', iss: '' }, {}),
  answer(
    'issuer-begins-alike',
    'an issuer that begins like the right one',
    { code: 'c', iss: `${LOGIN}.evil.example` },
    { server: DECLARED },
  ),
  answer('code-empty', 'an empty code', { code: '' }, {}),
  answer('code-as-number', 'a code that is no text', { code: 7 }, {}),
  answer('pending-in-words', 'pending that is not true', { pending: 'true' }, {}),
  answer('pending-false', 'pending that is not true', { pending: false }, {}),
  answer('empty-object', 'nothing of it all', {}, {}),
  answer('list', 'a list', [{ code: 'c' }], {}),
  answer('no-json', 'no JSON', 'code=c', {}),
  answer(
    'unknown-to-store',
    'the store refuses the question',
    { code: 'invalid_request', message: 'No.', requestId: 'r-1' },
    { status: 400 },
  ),
  answer('not-a-store', 'nobody knows the address', { code: 'c' }, { status: 404 }),
];

/** Each vector has a state of its own, so that one relay can run all of them. */
function callback(
  name: string,
  why: string,
  given: Record<string, string>,
  result?: RelayResult,
): CallbackVector {
  const query = { state: `svc-vector-of-the-relay.${name}`, ...given };
  const status = result ? 200 : 400;
  return {
    name,
    why,
    query: String(new URLSearchParams(query)),
    status,
    state: query.state,
    ...(result && { result }),
  };
}
const LONG = 'c'.repeat(4096);

export const CALLBACKS: CallbackVector[] = [
  callback('code', 'a code', { code: 'c' }, { code: 'c' }),
  callback(
    'code-and-issuer',
    'a code, and who gave it',
    { code: 'c', iss: LOGIN },
    { code: 'c', iss: LOGIN },
  ),
  callback(
    'code-of-all-letters',
    'a code is kept as it came',
    { code: '4/0Ab+c=d&e f%2F~"\\é' },
    { code: '4/0Ab+c=d&e f%2F~"\\é' },
  ),
  callback('longest-code', 'a code of 4,096 letters', { code: LONG }, { code: LONG }),
  callback(
    'error',
    'a no, and why',
    { error: 'access_denied', error_description: 'They said no.' },
    { error: 'access_denied', error_description: 'They said no.' },
  ),
  callback(
    'more',
    'what the relay does not know is not kept',
    { code: 'c', scope: 'all', session_state: 'x' },
    { code: 'c' },
  ),
  callback(
    'shortest-state',
    'a state of 22 letters, of every kind',
    { state: 'aZ09-._~aZ09-._~aZ09-.', code: 'c' },
    { code: 'c' },
  ),
  callback('longest-state', 'a state of 256 letters', { state: 's'.repeat(256), code: 'c' }, { code: 'c' }),
  callback('state-too-short', 'a state of 21 letters can be guessed sooner', {
    state: 's'.repeat(21),
    code: 'c',
  }),
  callback('state-too-long', 'a state of 257 letters', { state: 's'.repeat(257), code: 'c' }),
  callback('state-in-base64', 'a state in base64 with letters that mean something in addresses', {
    state: 'Jx0o5r9d+m3Qb7/tKzP2yA==',
    code: 'c',
  }),
  callback('state-not-ascii', 'a state with a letter beyond ASCII', {
    state: `${'s'.repeat(22)}é`,
    code: 'c',
  }),
  callback('state-empty', 'no state', { state: '', code: 'c' }),
  callback('code-too-long', 'a code of 4,097 letters', { code: `${LONG}c` }),
  callback('code-empty', 'an empty code', { code: '' }),
  callback('neither', 'neither a code nor an error', {}),
  callback('both', 'a code and an error', { code: 'c', error: 'access_denied' }),
  callback('error-empty', 'an empty error', { error: '' }),
  callback(
    'error-with-quote',
    'an error with a letter that none may have (RFC 6749 section 4.1.2.1) reaches the client as well',
    { error: 'access"denied' },
    { error: 'access"denied' },
  ),
  callback(
    'error-with-empty-code',
    'an empty code beside an error is absent',
    { code: '', error: 'access_denied' },
    { error: 'access_denied' },
  ),
  callback(
    'error-with-line-ends',
    'a description becomes one printable line',
    {
      error: 'access_denied',
      error_description: 'Der Nutzer möchte "nicht".\r\nTrace ID: 0\u0000\u202e',
      error_uri: `${LOGIN}/error`,
    },
    { error: 'access_denied', error_description: 'Der Nutzer möchte "nicht". Trace ID: 0' },
  ),
  callback(
    'error-with-long-description',
    'a description is cut at 1,024 characters',
    { error: 'server_error', error_description: 'x'.repeat(3_000) },
    { error: 'server_error', error_description: 'x'.repeat(1_024) },
  ),
];

/** The digits that a client shows for a state. */
export const DIGITS = [
  {
    name: 'three',
    why: 'the first 32 bits of SHA-256 of the state, modulo 1000',
    state: 'svc-vector-of-the-relay.0',
    digits: '190',
  },
  {
    name: 'leading-zero',
    why: 'always three digits',
    state: 'svc-vector-of-the-relay.283',
    digits: '003',
  },
];
