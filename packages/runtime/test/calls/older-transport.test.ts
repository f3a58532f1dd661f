import type { ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { probeServer } from '../../src/calls/probe-server.ts';
import { realSystem as system } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';

/** A server of the SDK 1 with the transport of 2024-11-05 alone. @param token that it requires */
async function serveOlder(token: string | null = null) {
  const streams: ServerResponse[] = [];
  const transports = new Map<string, SSEServerTransport>();
  const origin = await serveHere(() => async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (token !== null && request.headers.authorization !== `Bearer ${token}`)
      return void response.writeHead(401, { 'www-authenticate': 'Bearer scope="read"' }).end();
    if (request.method === 'GET' && url.pathname === '/sse') {
      streams.push(response);
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      const server = new McpServer({ name: 'older', version: '1.0.0' });
      server.registerTool('say', { inputSchema: { what: z.string() } }, async ({ what }) => {
        if (what === 'end') response.destroy();
        return { content: [{ type: 'text', text: what }] };
      });
      return void (await server.connect(transport));
    }
    const transport = transports.get(url.searchParams.get('sessionId') ?? '');
    if (url.pathname === '/messages' && transport)
      return void (await transport.handlePostMessage(request, response));
    response.writeHead(404).end(`Cannot ${request.method} ${url.pathname}`);
  });
  return { url: `${origin}/sse`, streams };
}

const where = { project: 'p', chat: 'c' };

describe('a server that has only the transport of 2024-11-05', () => {
  it('is added by its address, lists its tools, and is called', async () => {
    const { url } = await serveOlder();
    const { runtime } = await openClient({ localConnectors: true });
    const { appId } = await runtime.addLocalConnector({ url });
    expect(await runtime.tools(appId, { project: 'p' })).toMatchObject([{ id: 'say' }]);
    const call = (what: string) => runtime.call(appId, { tool: 'say', arguments: { what }, ...where });
    expect(await call('hello')).toMatchObject({ parts: [{ type: 'text', text: 'hello' }] });
    // A stream that ends, ends its calls at once; the next call opens another session.
    await expect(call('end')).rejects.toEqual(refused('unreachable'));
    expect(await call('again')).toMatchObject({ parts: [{ type: 'text', text: 'again' }] });
  });

  it('and requires an account is found to', async () => {
    const { url } = await serveOlder('secret');
    const signal = AbortSignal.any([]);
    expect(await probeServer({ url, fetch, system, signal })).toMatchObject({
      ...{ isClosed: true, isListed: false, challenge: { scopes: ['read'] } },
    });
  });

  it.each([
    ['sends no address for messages', ': hello\n\n', 'too-slow', 'sent no address for messages'],
    [
      'has its messages sent elsewhere',
      'event: endpoint\ndata: https://evil.example/\n\n',
      'server-failed',
      '',
    ],
    ['ends its stream at once', '', 'server-failed', ''],
  ])('and %s is refused', async (_what, sent, code, message) => {
    const origin = await serveHere(() => (request, response) => {
      if (request.method !== 'GET') return void response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent);
      if (sent === '') response.end();
    });
    const sleep = (ms: number, end?: AbortSignal) =>
      system.sleep(ms === 10_000 && code === 'too-slow' ? 100 : ms, end);
    const signal = AbortSignal.any([]);
    const { fault } = await probeServer({
      url: `${origin}/sse`,
      fetch,
      system: { ...system, sleep },
      signal,
    });
    expect(fault).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
