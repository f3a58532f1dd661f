import { describe, expect, it } from 'vitest';
import { openCalls, said } from '../../support/calls.ts';
import { event, json, type Message, type Play, text } from '../../support/mcp-server.ts';

const OK = text('ok');
/** Far longer than any test: a call that waits for its time limit fails the test. */
const LONG = { timeoutMs: 500_000 };

/** Imperfect responses, for a request with an id. */
const ENVELOPES: readonly (readonly [string, (id: Message['id']) => unknown])[] = [
  ['_meta null', (id) => ({ jsonrpc: '2.0', id, result: { ...OK, _meta: null } })],
  [
    'a null field in _meta',
    (id) => ({ jsonrpc: '2.0', id, result: { ...OK, _meta: { progressToken: null } } }),
  ],
  ['error null beside the result', (id) => ({ jsonrpc: '2.0', id, result: OK, error: null })],
  ['additional fields', (id) => ({ jsonrpc: '2.0', id, result: OK, method: null, took: 5 })],
  ['no jsonrpc', (id) => ({ id, result: OK })],
  ['a text as id', (id) => ({ jsonrpc: '2.0', id: String(id), result: OK })],
  ['no id', () => ({ jsonrpc: '2.0', result: OK })],
];

const WORDS = 'The board is archived';
const ERRORS: readonly (readonly [string, (id: Message['id']) => unknown])[] = [
  ['an error without code', (id) => ({ jsonrpc: '2.0', id, error: { message: WORDS } })],
  ['an error that is a text', (id) => ({ jsonrpc: '2.0', id, error: WORDS })],
  ['an error with the words in its data', (id) => ({ jsonrpc: '2.0', id, error: { code: 1, data: WORDS } })],
  [
    'result null beside the error',
    (id) => ({ jsonrpc: '2.0', id, result: null, error: { code: 1, message: WORDS } }),
  ],
  ['an error for the id null', () => ({ jsonrpc: '2.0', id: null, error: { code: -32700, message: WORDS } })],
];

const WAYS: readonly (readonly [string, (of: (id: Message['id']) => unknown) => Play])[] = [
  [
    'JSON',
    (of) =>
      ({ response, message }) =>
        void json(response, of(message.id)),
  ],
  [
    'a stream',
    (of) =>
      ({ response, message }) => {
        event(response, of(message.id));
        response.end();
        return undefined;
      },
  ],
  [
    'an open stream',
    (of) =>
      ({ response, message }) => {
        event(response, of(message.id));
        return undefined;
      },
  ],
];

describe.each(WAYS)('a response as %s', (_way, playing) => {
  it.each(ENVELOPES)('with %s is read', async (_what, of) => {
    const { call } = await openCalls(playing(of));
    expect(await call('plain', LONG)).toEqual(said('ok'));
  });

  it.each(ERRORS)('with %s gives the words of the server', async (_what, of) => {
    const { call } = await openCalls(playing(of));
    await expect(call('plain', LONG)).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringContaining(WORDS),
    });
  });
});

it('JSON of another type, and a list with one response, is read', async () => {
  const answer = (id: Message['id']) => ({ jsonrpc: '2.0', id, result: { ...OK, _meta: null } });
  const other = await openCalls(({ response, message }) => {
    response.writeHead(200, { 'content-type': 'text/json' }).end(JSON.stringify(answer(message.id)));
    return undefined;
  });
  expect(await other.call('plain', LONG)).toEqual(said('ok'));
  const list = await openCalls(({ response, message }) => void json(response, [answer(message.id)]));
  expect(await list.call('plain', LONG)).toEqual(said('ok'));
});

describe('a stream', () => {
  const bytesOf = (id: Message['id'], value: string) =>
    `event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: text(value) })}\r\n\r\n`;

  it('is read when its events arrive in pieces of any length, with any line ends', async () => {
    for (const size of [1, 2, 3, 7]) {
      const { call } = await openCalls(({ response, message }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        const all = `: hello\r\n\r\n${bytesOf(message.id, 'é whole')}`;
        const bytes = Buffer.from(all);
        for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
        return undefined;
      });
      expect(await call('plain', LONG)).toEqual(said('é whole'));
    }
  });

  it('is read when the last event lacks its empty line', async () => {
    const { call } = await openCalls(({ response, message }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(bytesOf(message.id, 'ok').trimEnd());
      return undefined;
    });
    expect(await call('plain', LONG)).toEqual(said('ok'));
  });

  it('with a large event is read', async () => {
    const large = 'x'.repeat(900_000);
    const { call } = await openCalls(({ response, message }) => {
      event(response, { jsonrpc: '2.0', id: message.id, result: { ...text(large), _meta: null } });
      return undefined;
    });
    expect(await call('plain', LONG)).toEqual(said(large));
  });

  it.each<[string, Play]>([
    [
      'ends',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': hi\n\n'),
    ],
    [
      'is reset',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n');
        setImmediate(() => response.destroy());
        return undefined;
      },
    ],
    [
      'ends within an event',
      ({ response, message }) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(bytesOf(message.id, 'ok').slice(0, 60)),
    ],
  ])('without event ids that %s before the response ends the call at once', async (_what, play) => {
    const { call } = await openCalls(play);
    await expect(call('plain', LONG)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('closed the connection'),
    });
  });

  it('with event ids that the server does not resume ends the call', async () => {
    const { call } = await openCalls(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 1\nretry: 1\ndata:\n\n');
      return undefined;
    });
    await expect(call('plain', LONG)).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('a refusal of a server', () => {
  it.each<[number, string, string]>([
    [
      400,
      'application/json',
      JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: WORDS } }),
    ],
    [403, 'application/json', JSON.stringify({ error: 'forbidden', error_description: WORDS })],
    [422, 'application/json', JSON.stringify({ detail: WORDS })],
    [409, 'text/plain', WORDS],
    [500, 'application/problem+json', JSON.stringify({ title: WORDS, status: 500 })],
  ])('with %i reaches the caller in its words', async (status, type, body) => {
    const { call } = await openCalls(
      ({ response }) => void response.writeHead(status, { 'content-type': type }).end(body),
    );
    await expect(call('plain')).rejects.toMatchObject({
      code: 'server-failed',
      message: `The app’s server answers ${status}. It says: ${WORDS}`,
      detail: { status },
    });
  });

  it('has no markup of a page, and its words no hidden characters', async () => {
    const bodies = ['<html><b>oops</b></html>', 'hidden\u{e0041}\u202eafter\u200b\u0007 all'];
    const { call } = await openCalls(
      ({ response }) => void response.writeHead(418, { 'content-type': 'text/plain' }).end(bodies.shift()),
    );
    await expect(call('plain')).rejects.toThrow(/^The app’s server answers 418\.$/);
    await expect(call('plain')).rejects.toThrow(/It says: hidden after all$/);
  });

  it.each([429, 503])('%i says when to try again', async (status) => {
    const { call, mcp } = await openCalls(({ response }) => {
      response.setHeader('retry-after', '7');
      return void json(response, { error: { message: WORDS } }, status);
    });
    await expect(call('plain')).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${status}. It says: ${WORDS} Try again in 7 s`)),
      detail: { status, retryAfter: 7 },
    });
    expect(mcp.headersOf('tools/call')).toHaveLength(1);
  });

  it('of the first message is not tried again with the other revision', async () => {
    let asked = 0;
    const { call } = await openCalls(() => OK, {
      server: {
        before({ response }) {
          asked += 1;
          json(response, {}, 429);
          return true;
        },
      },
    });
    await expect(call('plain')).rejects.toMatchObject({ detail: { status: 429 } });
    expect(asked).toBe(1);
  });
});

describe('a session that the server lost', () => {
  it.each([
    [404, {}],
    [
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
      },
    ],
    [
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } },
    ],
    [401, 'Unauthorized: Session not found'],
    [403, { error: { code: -32001, message: 'Mcp-Session-Id principal mismatch' } }],
    [200, { error: 'Session not found' }],
  ])('answered with %i %j is opened again, once', async (status, body) => {
    let lost = 0;
    const { call, mcp } = await openCalls(({ response }) => {
      lost += 1;
      return lost === 1 ? void json(response, body, status) : OK;
    });
    expect(await call('plain')).toEqual(said('ok'));
    expect(mcp.headersOf('initialize')).toHaveLength(2);
    lost = Number.NEGATIVE_INFINITY;
  });

  it('for ever ends the call after the second attempt', async () => {
    const { call, mcp } = await openCalls(
      ({ response }) => void json(response, { error: 'no session' }, 400),
    );
    await expect(call('plain')).rejects.toMatchObject({ message: expect.stringContaining('no session') });
    expect(mcp.headersOf('tools/call')).toHaveLength(2);
  });

  it('is not seen in another 400', async () => {
    const { call, mcp } = await openCalls(({ response }) => void json(response, { error: WORDS }, 400));
    await expect(call('plain')).rejects.toThrow(WORDS);
    expect(mcp.headersOf('tools/call')).toHaveLength(1);
  });
});
