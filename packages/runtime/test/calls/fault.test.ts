import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { faultOf, isSessionLost } from '../../src/calls/fault.ts';
import { RetryLaterError } from '../../src/calls/lenient/lenient-fetch.ts';
import { CUT_OFF, TOO_LARGE } from '../../src/calls/lenient/repair-envelope.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';

const TOKEN = 'svc-token-of-a-user';

const http = (status: number, data: object = {}) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `got ${TOKEN}`, { status, ...data } as never);
const later = (headers: object, text = '') =>
  new RetryLaterError(new Response(null, { status: 429, headers: { ...headers } }), text);
const network = (code: string) => Object.assign(new Error(`got ${TOKEN}`), { code });
const within = (cause: unknown) => new TypeError('fetch failed', { cause });

const faultOfAnswer = (error: unknown, signal = new AbortController().signal) => {
  const secrets = createSecrets();
  secrets.add(TOKEN);
  return faultOf(error, signal, secrets) as RuntimeError;
};

describe('an error of the MCP client', () => {
  it.each<[string, unknown, string, string, object]>([
    [
      'that a server names',
      new ProtocolError(-32602, `No ${TOKEN}.`),
      'server-failed',
      'The app’s server says: No [secret].',
      { rpc: -32602 },
    ],
    [
      'that a server explains in its data',
      new ProtocolError(-32602, 'Invalid params', [{ msg: `No ${TOKEN}.` }]),
      'server-failed',
      'The app’s server says: Invalid params: No [secret].',
      { rpc: -32602 },
    ],
    [
      'that a server repeats in its data',
      new ProtocolError(-32602, 'No board.', { details: 'No board' }),
      'server-failed',
      'The app’s server says: No board.',
      { rpc: -32602 },
    ],
    [
      'of a stream that broke off',
      new ProtocolError(-32000, CUT_OFF.message),
      'unreachable',
      'closed the connection',
      {},
    ],
    [
      'of a closed connection',
      new SdkError(SdkErrorCode.ConnectionClosed, 'x'),
      'unreachable',
      'closed the connection',
      {},
    ],
    ['of a large stream', new ProtocolError(-32000, TOO_LARGE.message), 'too-large', '', {}],
    ['of a slow server', new SdkError(SdkErrorCode.RequestTimeout, 'x'), 'too-slow', '', {}],
    ['of another kind', new SdkError(SdkErrorCode.InvalidResult, TOKEN), 'server-failed', '', {}],
    ['that is none', 'x', 'server-failed', '', {}],
    ['with a status', http(500), 'server-failed', 'answers 500.', { status: 500 }],
    [
      'with a body',
      http(418, { text: `Got ${TOKEN}.` }),
      'server-failed',
      'answers 418. It says: Got [secret].',
      { status: 418 },
    ],
    [
      'with a body that is no text',
      http(418, { text: ['x'] }),
      'server-failed',
      'answers 418.',
      { status: 418 },
    ],
    ['of a limit', later({}), 'server-failed', 'answers 429. Try again later.', { status: 429 }],
    [
      'of a limit with a time',
      within(later({ 'retry-after': '0' }, 'Busy.')),
      'server-failed',
      'answers 429. It says: Busy. Try again in 0 s.',
      { status: 429, retryAfter: 0 },
    ],
    ['of the network', within(within(network('UND_ERR_SOCKET'))), 'unreachable', '', {}],
    ['of something else', within(network('X_UND_ERR')), 'server-failed', '', {}],
    ['of something without a code', within(new Error('UND_ERR')), 'server-failed', '', {}],
  ])('%s', (_what, error, code, message, detail) => {
    const fault = faultOfAnswer(error);
    expect(fault).toBeInstanceOf(RuntimeError);
    expect(fault.code).toBe(code);
    expect(
      fault.message.endsWith(message) || (code === 'unreachable' && fault.message.includes(message)),
    ).toBe(true);
    expect(fault.detail).toStrictEqual(detail);
    expect(`${fault.stack} ${String(fault.cause)}`).not.toContain(TOKEN);
  });

  it('within others is itself, before all that is around it', () => {
    const own = new RuntimeError('address-refused');
    expect(faultOfAnswer(within(own))).toBe(own);
    expect(faultOfAnswer(Object.assign(new ProtocolError(1, 'x'), { cause: own }))).toBe(own);
    expect(faultOfAnswer(own, AbortSignal.abort('ended'))).toBe('ended');
  });
});

const deep = (words: unknown, depth: number): unknown =>
  depth === 0 ? words : { error: deep(words, depth - 1) };

it.each<[unknown, string]>([
  ['  Busy.  ', 'Busy.'],
  ['<html>Busy.</html>', ''],
  ['a <b>', 'a <b>'],
  ['{not JSON', '{not JSON'],
  ['"Busy."', 'Busy.'],
  ['[5]', ''],
  [[{ loc: ['body'], msg: 'No board.' }, { msg: 'x' }], 'No board.'],
  [{ detail: [{ msg: 'No board.' }] }, 'No board.'],
  [{ errors: [{ message: 'Busy.' }] }, 'Busy.'],
  [{ errors: [] }, ''],
  [{ id: 1, result: { isError: true, content: [{ type: 'text', text: 'Busy.' }] } }, 'Busy.'],
  ['', ''],
  [{}, ''],
  [{ message: 'Busy.', error: 'other' }, 'Busy.'],
  [{ message: null, detail: 'Busy.' }, 'Busy.'],
  [{ title: 'Busy.' }, 'Busy.'],
  [{ reason: 'Busy.' }, 'Busy.'],
  [{ error_description: 'Busy.', error: 'busy' }, 'Busy.'],
  [{ error: null }, ''],
  [{ message: 5 }, ''],
  [deep('Busy.', 4), 'Busy.'],
  [deep('Busy.', 5), ''],
])('the words of %j are %j', (body, words) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const said = words === '' ? '' : ` It says: ${words}`;
  expect(faultOfAnswer(http(500, { text })).message).toBe(`The app’s server answers 500.${said}`);
});

it.each<[unknown, boolean]>([
  [http(404), true],
  [http(400, { text: 'No valid session ID.' }), true],
  [http(400, { text: '{"error":{"message":"Server not initialized"}}' }), true],
  [http(400, { text: 'Initialise first.' }), true],
  [http(400, { text: 'No such board.' }), false],
  [http(400), false],
  [http(500, { text: 'No session.' }), false],
  // The server may have done what it was asked for.
  [http(500, { text: 'Session not found' }), false],
  [new ProtocolError(400, 'No session.'), false],
  ...['Session not found', 'Mcp-Session-Id principal mismatch', 'Unknown session id'].flatMap(
    (words): [unknown, boolean][] => [
      [http(401, { text: words }), true],
      [http(403, { text: JSON.stringify({ error: { message: words } }) }), true],
      [new ProtocolError(-32_001, words), true],
      [new ProtocolError(-32_602, words), false],
    ],
  ),
  [http(401, { text: 'No token.' }), false],
  [http(403, { text: 'The session is of another board.' }), false],
  [new ProtocolError(-32_000, 'The session is of another board.'), false],
  [new Error('session'), false],
])('a session is lost: %# %s', (error, isLost) => {
  expect(isSessionLost(error)).toBe(isLost);
});
