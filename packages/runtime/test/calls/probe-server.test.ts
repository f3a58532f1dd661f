import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { probeServer } from '../../src/calls/probe-server.ts';
import { json, serveMcp, text } from '../support/mcp-server.ts';
import { realSystem as system } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';

const probe = (url: string, given: { signal?: AbortSignal; system?: typeof system } = {}) =>
  probeServer({ url, fetch, system, signal: AbortSignal.any([]), ...given });

type Asked = { method: string; era: 'modern' | 'legacy' };

/**
 * A server of one generation that challenges these methods with 401.
 * @param legacy whether it serves the revisions before 2026-07-28 too
 */
async function serveWith(closed: readonly string[], legacy: 'stateless' | 'reject') {
  const asked: Asked[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      server.registerTool('find', { description: 'Finds.' }, async () => text('found') as never);
      return server;
    },
    { legacy },
  );
  const origin = await serveHere(() => async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '' } = body === '' ? {} : (JSON.parse(body) as { method?: string });
    const era = request.headers['mcp-protocol-version'] === '2026-07-28' ? 'modern' : 'legacy';
    asked.push({ method, era });
    if (closed.includes(method))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer scope="read"' }).end();
    await toNodeHandler(handler)(request as never, response, body === '' ? undefined : JSON.parse(body));
  });
  return { url: `${origin}/mcp`, asked };
}

describe('a server that is asked without a token', () => {
  it.each([
    [[], 'reject', { era: 'modern', isClosed: false, isListed: true }],
    [['server/discover'], 'reject', { era: null, isClosed: true, isListed: false }],
    [['tools/list'], 'reject', { era: 'modern', isClosed: true, isListed: false }],
    [['tools/call'], 'reject', { era: 'modern', isClosed: true, isListed: true }],
    [['tools/call'], 'stateless', { era: 'modern', isClosed: true, isListed: true }],
  ] as const)('and challenges %j, with revisions before 2026-07-28: %s', async (closed, legacy, expected) => {
    const { url } = await serveWith(closed, legacy);
    const challenge = expected.isClosed ? expect.objectContaining({ scopes: ['read'] }) : null;
    expect(await probe(url)).toEqual({ ...expected, challenge, fault: null });
  });

  it.each([
    ['initialize', { era: null, isListed: false }],
    ['tools/list', { era: 'legacy', isListed: false }],
    ['tools/call', { era: 'legacy', isListed: true }],
  ])('of an earlier revision, and challenges %s', async (closed, expected) => {
    const { url } = await serveMcp(() => text(''), {
      before({ message, response }) {
        if (message.method !== closed) return false;
        response.writeHead(401).end();
        return true;
      },
    });
    expect(await probe(url)).toMatchObject({ isClosed: true, challenge: null, fault: null, ...expected });
  });

  it('and answers 403 with a challenge, as some gateways do', async () => {
    const origin = await serveHere(() => (_request, response) => {
      response.writeHead(403, { 'www-authenticate': 'Bearer scope="a"' }).end();
    });
    expect(await probe(origin)).toMatchObject({ isClosed: true, challenge: { scopes: ['a'] }, fault: null });
  });

  it.each([404, 500, 403])('and answers %i is no server', async (status) => {
    const origin = await serveHere(() => (_request, response) => {
      // A challenge belongs to 401 (RFC 9110 section 11.6.1); of a 403 it tells that a token is missing.
      if (status !== 403) response.setHeader('www-authenticate', 'Bearer');
      json(response, {}, status);
    });
    expect(await probe(origin)).toMatchObject({ isClosed: false, fault: { detail: { status } } });
  });

  it('and negotiates for ever is given up after half a minute', async () => {
    // Each answer names revisions that the client knows, and refuses them.
    let asked = 0;
    const { url } = await serveMcp(() => undefined, {
      before({ message: { id }, response }) {
        asked += 1;
        const data = { supported: ['2026-07-28', '2025-06-18', '2024-11-05'] };
        json(
          response,
          { jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported protocol version', data } },
          400,
        );
        return true;
      },
    });
    expect(await probe(url)).toMatchObject({ isClosed: false, fault: { code: 'server-failed' } });
    expect(asked).toBeLessThan(12);
    const silent = await serveMcp(() => undefined, { before: () => true });
    const hurried = {
      ...system,
      sleep: (ms: number, signal?: AbortSignal) => system.sleep(ms / 100, signal),
    };
    expect(await probe(silent.url, { system: hurried })).toMatchObject({ fault: refused('too-slow') });
  });

  it('ends with its caller', async () => {
    const { url } = await serveMcp(() => undefined, { before: () => true });
    await expect(probe(url, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
  });
});

describe('a server of 2026-07-28 alone', () => {
  it('is added by its address, and its tools are called', async () => {
    const { url, asked } = await serveWith([], 'reject');
    const { runtime } = await openClient({ localConnectors: true });
    const { appId } = await runtime.addLocalConnector({ url });
    expect(await runtime.tools(appId, { project: 'p' })).toMatchObject([{ id: 'find' }]);
    const call = { tool: 'find', arguments: {}, project: 'p', chat: 'c' };
    expect(await runtime.call(appId, call)).toMatchObject({ parts: [{ type: 'text', text: 'found' }] });
    expect(new Set(asked.map(({ era }) => era))).toEqual(new Set(['modern']));
  });
});
