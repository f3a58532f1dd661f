import type { ServerResponse } from 'node:http';
import { type Client, ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import { RetryLaterError } from '../../src/calls/lenient/lenient-fetch.ts';
import {
  createKnownEras,
  type Era,
  NoFirstAnswerError,
  negotiateEra,
  watchFirstAnswer,
} from '../../src/calls/negotiate-era.ts';
import { type RefusalCode, RuntimeError } from '../../src/platform/runtime-error.ts';
import { openCalls, said } from '../support/calls.ts';
import { type Exchange, event, json, type ServerOptions, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

const URL_OF = 'https://mcp.example.com/';

type Answer = (response: ServerResponse, exchange: Exchange) => void;

/** How existing servers respond to a first message that they do not know. */
const FIRST_ANSWERS: Readonly<Record<string, Answer>> = {
  'an internal error (500)': (response) => json(response, {}, 500),
  'not implemented (501)': (response) => json(response, {}, 501),
  'a gateway that finds no server (502)': (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
  'forbidden (403)': (response) => json(response, {}, 403),
  'accepted without an answer (202)': (response) => response.writeHead(202).end(),
  'no content (204)': (response) => response.writeHead(204).end(),
  'an empty answer': (response) => response.writeHead(200).end(),
  'an HTML page': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>'),
  'invalid JSON': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
  'JSON that is not JSON-RPC': (response) => json(response, { hello: 1 }),
  'an error without an id': (response) =>
    json(response, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No.' } }),
  'a closed socket': (response) => response.destroy(),
  'a truncated answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{');
    setImmediate(() => response.destroy());
  },
  'a stream that ends': (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  'a stream with another message': (response) => {
    event(response, { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    response.end();
  },
  'a stream that breaks': (response) => {
    event(response, { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    setImmediate(() => response.destroy());
  },
  'no answer': () => undefined,
};

/** How servers of the earlier revision differ: they answer with JSON or with a stream, and keep sessions or do not. */
const KINDS = [
  { streams: false, sessions: true },
  { streams: false, sessions: false },
  { streams: true, sessions: true },
  { streams: true, sessions: false },
];

/** A server that supports only `initialize` as its first request. */
const legacyServer = (
  first: Answer,
  { streams, sessions }: { streams: boolean; sessions: boolean },
): ServerOptions => ({
  before(exchange) {
    const { message, response } = exchange;
    const { id, method } = message;
    if (method === 'server/discover') {
      first(response, exchange);
      return true;
    }
    if (method !== 'initialize') return false;
    const serverInfo = { name: 'old', version: '1' };
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    if (sessions) response.setHeader('mcp-session-id', 'session-1');
    if (!streams) json(response, { jsonrpc: '2.0', id, result });
    else {
      response.setHeader('content-type', 'text/event-stream');
      event(response, { jsonrpc: '2.0', id, result });
      response.end();
    }
    return true;
  },
});

const methodsOf = ({ asked }: { asked: readonly Exchange[] }) => asked.map(({ message }) => message.method);

describe.each(KINDS)('a server of an earlier revision (streams: $streams, sessions: $sessions)', (kind) => {
  it.each(Object.entries(FIRST_ANSWERS))('is sent initialize after %s', async (_what, first) => {
    const { call, calls, app, mcp } = await openCalls(() => text('ok'), {
      server: legacyServer(first, kind),
    });
    expect(await call('plain')).toEqual(said('ok'));
    expect(methodsOf(mcp)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    // The era is remembered: a new session begins with `initialize`.
    await calls.close(app.appId);
    expect(await call('plain')).toEqual(said('ok'));
    expect(methodsOf(mcp).slice(4)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  });
});

describe('a server of the current revision', () => {
  const discovered = ({ message: { id } }: Exchange) => ({
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '1' } },
    },
  });
  const unknown = ({ message: { id } }: Exchange) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32601, message: 'Method not found' },
  });

  it('that starts slowly is sent server/discover again after it has refused initialize', async () => {
    let met = 0;
    const { call, mcp } = await openCalls(() => ({ resultType: 'complete', ...text('ok') }), {
      server: {
        before(exchange) {
          const { message, response } = exchange;
          if (message.method === 'initialize') json(response, unknown(exchange), 400);
          else if (message.method !== 'server/discover') return false;
          else if (++met > 1) json(response, discovered(exchange));
          return true;
        },
      },
    });
    expect(await call('plain')).toEqual(said('ok'));
    expect(methodsOf(mcp)).toEqual(['server/discover', 'initialize', 'server/discover', 'tools/call']);
  });

  it('is detected after an upgrade from an earlier revision', async () => {
    let upgraded = false;
    const old = legacyServer((response) => json(response, {}, 404), { streams: false, sessions: false });
    const { call, calls, app, mcp } = await openCalls(() => ({ resultType: 'complete', ...text('ok') }), {
      server: {
        before(exchange) {
          const { message, response } = exchange;
          if (!upgraded) return old.before?.(exchange) ?? false;
          if (message.method === 'initialize') json(response, unknown(exchange));
          else if (message.method !== 'server/discover') return false;
          else json(response, discovered(exchange));
          return true;
        },
      },
    });
    await call('plain');
    await calls.close(app.appId);
    upgraded = true;
    expect(await call('plain')).toEqual(said('ok'));
    expect(methodsOf(mcp).slice(-3)).toEqual(['initialize', 'server/discover', 'tools/call']);
  });
});

describe('the fallback to initialize', () => {
  it.each([
    [401, ['server/discover']],
    [500, ['server/discover', 'initialize']],
  ])('does not change the error of a server that answers everything with %d', async (status, methods) => {
    const { call, mcp } = await openCalls(() => undefined, {
      server: {
        before({ response }) {
          json(response, {}, status);
          return true;
        },
      },
    });
    await expect(call('plain')).rejects.toEqual(refused('server-failed'));
    expect(methodsOf(mcp)).toEqual(methods);
  });

  it('is not tried when the runtime itself refused the address', async () => {
    const { call, mcp } = await openCalls(() => undefined, {
      server: {
        before({ response }) {
          response.writeHead(307, { location: 'https://elsewhere.example/mcp' }).end();
          return true;
        },
      },
    });
    await expect(call('plain')).rejects.toEqual(refused('address-refused'));
    expect(methodsOf(mcp)).toEqual(['server/discover']);
  });
});

it('remembers each server for a day, and only the latest 500 servers', () => {
  let now = 0;
  const known = createKnownEras({ now: () => now });
  expect(known.of('https://a.example/')).toBeNull();
  known.record('https://a.example/', 'legacy');
  expect(known.of('https://a.example/')).toBe('legacy');
  now = 24 * 60 * 60_000;
  expect(known.of('https://a.example/')).toBeNull();
  known.record('https://a.example/', 'modern');
  for (let count = 0; count < 499; count += 1) known.record(`https://b.example/${count}`, 'legacy');
  expect(known.of('https://a.example/')).toBe('modern');
  known.record('https://c.example/', 'legacy');
  expect(known.of('https://a.example/')).toBeNull();
  known.record('https://b.example/0', 'modern');
  known.record('https://d.example/', 'legacy');
  expect([0, 1].map((count) => known.of(`https://b.example/${count}`))).toEqual(['modern', null]);
});

describe('attempts to connect', () => {
  const http = (status: number) => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'no', { status });
  const rpc = (cause?: unknown) => Object.assign(new ProtocolError(-32601, 'no'), { cause });
  const version = (supported = '') =>
    new ProtocolError(-32602, 'Unsupported protocol version', { supported });
  const worded = (text: string, status = 400) =>
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'no', { status, text } as never);
  const silent = () => new NoFirstAnswerError('silent');
  const own = (code: RefusalCode) => new TypeError('fetch failed', { cause: new RuntimeError(code) });
  const later = () => new TypeError('fetch failed', { cause: new RetryLaterError(new Response(), '') });
  const [MODERN, LEGACY] = ['auto', 'legacy'];

  /** Attempts, each with its error; the last one succeeds where there is one more. `abort`: the caller leaves during the last. */
  it.each<[what: string, known: Era | null, errors: Error[], attempts: string[], abort?: boolean]>([
    ['a new server', null, [], [MODERN]],
    ['a new server that fails', null, [http(500)], [MODERN, LEGACY]],
    ['a new server that fails, and knows no other revision', null, [http(500), rpc()], [MODERN, LEGACY]],
    ['a server that wants a token', null, [http(401)], [MODERN]],
    ['a server that takes it for a lost session', null, [worded('Session not found', 401)], [MODERN, LEGACY]],
    ['a server that allows none now', null, [later()], [MODERN]],
    ['an address that is refused', null, [own('address-refused')], [MODERN]],
    ...(['unreachable', 'server-failed', 'too-slow'] as const).map(
      (code): [string, null, Error[], string[]] => [code, null, [own(code)], [MODERN, LEGACY]],
    ),
    ['a server that knows older revisions alone', 'legacy', [version()], [LEGACY, '2025-06-18']],
    [
      'a server that knows the oldest alone',
      null,
      [http(400), version(), version(), version()],
      [MODERN, LEGACY, '2025-06-18', '2025-03-26', '2024-11-05'],
    ],
    [
      'a server that names what it knows',
      'legacy',
      [version('2024-11-05, 2025-03-26')],
      [LEGACY, '2025-03-26'],
    ],
    ['a server that names none that is known', 'legacy', [version('1.0'), http(500)], [LEGACY, '2025-06-18']],
    [
      'a server that says so in its body',
      'legacy',
      [worded('Unsupported protocol version')],
      [LEGACY, '2025-06-18'],
    ],
    ['a caller that leaves', null, [http(500)], [MODERN], true],
    ['a caller that leaves later', 'legacy', [version(), version()], [LEGACY, '2025-06-18'], true],
    ['a slow server', null, [silent(), rpc()], [MODERN, LEGACY, MODERN]],
    ...[400, 404, 405, 410].map((status): [string, null, Error[], string[]] => [
      `a slow server with ${status}`,
      null,
      [silent(), http(status)],
      [MODERN, LEGACY, MODERN],
    ]),
    ['a slow server that fails', null, [silent(), http(500)], [MODERN, LEGACY]],
    ['a slow server that is lost', null, [silent(), new TypeError('reset')], [MODERN, LEGACY]],
    ['a slow server that allows none now', null, [silent(), rpc(later())], [MODERN, LEGACY]],
    ['a slow server, which its caller leaves', null, [silent(), rpc()], [MODERN, LEGACY], true],
    ['an old server', 'legacy', [], [LEGACY]],
    ['an old server that was upgraded', 'legacy', [rpc()], [LEGACY, MODERN]],
    ['an old server that is gone', 'legacy', [http(500)], [LEGACY]],
    ['an old server that is refused', 'legacy', [rpc(own('address-refused'))], [LEGACY]],
    ['an old server, which its caller leaves', 'legacy', [rpc()], [LEGACY], true],
    ['a newer server', 'modern', [], [MODERN]],
    ['a newer server that was replaced', 'modern', [http(404)], [MODERN, LEGACY]],
  ])('of %s', async (_what, known, errors, attempts, abort = false) => {
    const eras = createKnownEras({ now: () => 0 });
    if (known !== null) eras.record(URL_OF, known);
    const caller = new AbortController();
    const made: string[] = [];
    const limits: boolean[] = [];
    const left = [...errors];
    const connected = negotiateEra(
      { url: URL_OF, known: eras, signal: caller.signal },
      async ({ era, limited, version: oldest }) => {
        made.push(oldest ?? era);
        limits.push(limited);
        const error = left.shift();
        if (abort && left.length === 0) caller.abort();
        if (error) throw error;
        return { mcp: { getProtocolEra: () => (era === LEGACY ? undefined : 'modern') } as Client };
      },
    );
    if (attempts.length > errors.length) expect(await connected).toHaveProperty('mcp');
    else await expect(connected).rejects.toBe(errors.at(-1));
    expect(made).toEqual(attempts);
    // Only a server that nothing is known of has to answer at once.
    expect(limits).toEqual(attempts.map((_, index) => index === 0 && known === null));
    const last = attempts.at(-1) === MODERN ? 'modern' : 'legacy';
    expect(eras.of(URL_OF)).toBe(attempts.length > errors.length ? last : known);
  });
});

it('a new server may be assumed to be an old one', async () => {
  const made: string[] = [];
  const attempt = async ({ era }: { era: string }) => {
    made.push(era);
    return { mcp: { getProtocolEra: () => 'modern' } as Client };
  };
  const known = createKnownEras({ now: () => 0 });
  const server = { url: URL_OF, known, signal: new AbortController().signal };
  for (let n = 0; n < 2; n += 1) await negotiateEra(server, attempt, 'legacy');
  expect(made).toEqual(['legacy', 'auto']);
});

describe('the first message', () => {
  /** A watched connection, whose time ends when the test says so. */
  function watched(...answers: Response[]) {
    const waits: { ms: number; end: () => void }[] = [];
    const giveUp = vi.fn();
    const first = watchFirstAnswer(
      {
        sleep: (ms, signal) =>
          new Promise((resolve, reject) => {
            waits.push({ ms, end: resolve });
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
      },
      async () => answers.shift() ?? Response.json({}),
      giveUp,
    );
    const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
    const end = async () => {
      for (const wait of waits) wait.end();
      await settle();
    };
    return { first, waits, end, settle, gaveUp: () => giveUp.mock.calls.length === 1 && first.wasSilent() };
  }
  const send = ({ first }: ReturnType<typeof watched>) => first.fetch(URL_OF);

  it('that gets no answer within two seconds is given up', async () => {
    const it = watched();
    expect(it.waits).toMatchObject([{ ms: 2_000 }]);
    expect(it.gaveUp()).toBe(false);
    await it.end();
    expect(it.gaveUp()).toBe(true);
  });

  it('is not given up once a second one is sent, or the connection is open', async () => {
    const second = watched();
    await send(second);
    await send(second);
    await second.end();
    expect(second.gaveUp()).toBe(false);
    const open = watched(new Response(null, { status: 202 }));
    open.first.settled();
    await send(open);
    await open.end();
    expect(open.gaveUp()).toBe(false);
  });

  it.each([
    ['202', () => new Response('', { status: 202 }), true],
    ['204', () => new Response(null, { status: 204 }), true],
    ['205', () => new Response(null, { status: 205 }), true],
    ['nothing', () => new Response(null), true],
    ['JSON', () => Response.json({}), false],
    ['an error', () => new Response('no', { status: 400 }), false],
  ])('that is answered with %s', async (_what, answer, isGivenUp) => {
    const response = answer();
    const it = watched(response);
    expect(await send(it)).toBe(response);
    await it.settle();
    expect(it.gaveUp()).toBe(isGivenUp);
  });

  it('that is answered with a stream is given up at its end, unless a second one is sent', async () => {
    const stream = () =>
      new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    const ended = watched(stream());
    const response = await send(ended);
    await ended.settle();
    expect(ended.gaveUp()).toBe(false);
    expect(await response.text()).toBe('data: {}\n\n');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    await ended.settle();
    expect(ended.gaveUp()).toBe(true);
    const second = watched(stream(), stream());
    const answer = await send(second);
    const next = await send(second);
    await answer.text();
    await next.text();
    await second.settle();
    expect(second.gaveUp()).toBe(false);
  });
});
