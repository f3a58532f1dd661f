import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createKnownEras } from '../../src/calls/negotiate-era.ts';
import { openCalls, said } from '../support/calls.ts';
import { type Exchange, event, json, type ServerOptions, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

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
});
