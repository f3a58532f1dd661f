import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { servedToolsOf } from '@svc/contracts';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { listServedTools } from '../../src/connectors/list-served-tools.ts';
import { json, type ServerOptions, serveMcp } from '../support/mcp-server.ts';
import { realSystem as system } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';

const deps = { system, client: { name: 'test', version: '1' } };
const options = { allowLoopback: true, userAgent: 'svc-store/1 (+https://store.test)', limitMs: 10_000 };

async function listing(server: ServerOptions, more: object = {}) {
  const mcp = await serveMcp(() => undefined, server);
  return { mcp, list: () => listServedTools(deps, mcp.url, { ...options, ...more }) };
}

describe('listing the tools of a server', () => {
  it('names who asks, and sends a token where there is one', async () => {
    const { mcp, list } = await listing({ tools: [{ name: 'get-sum' }] }, { token: 'secret-0123456789' });
    expect(await list()).toEqual({ tools: [{ name: 'get-sum', inputSchema: { type: 'object' } }], ttlMs: 0 });
    expect(mcp.headersOf('tools/list')).toMatchObject([
      { 'user-agent': options.userAgent, authorization: 'Bearer secret-0123456789' },
    ]);
  });

  it('lists those of a server of 2026-07-28 alone', async () => {
    const make = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      server.registerTool('find', {}, async () => ({ content: [] }));
      return server;
    };
    const node = toNodeHandler(createMcpHandler(make, { legacy: 'reject' }));
    const origin = await serveHere(() => (request, response) => void node(request as never, response));
    expect(await listServedTools(deps, `${origin}/mcp`, options)).toMatchObject({
      tools: [{ name: 'find' }],
    });
  });

  it.each([401, 403])('says that a server requires a sign-in: %s', async (status) => {
    const before: ServerOptions['before'] = ({ response }) => {
      response.writeHead(status, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    await expect((await listing({ before })).list()).rejects.toThrow(refused('not-connected'));
  });

  it('passes on when to come back', async () => {
    const before: ServerOptions['before'] = ({ response }) => {
      response.writeHead(429, { 'retry-after': '120' }).end();
      return true;
    };
    await expect((await listing({ before })).list()).rejects.toMatchObject({ detail: { retryAfter: 120 } });
  });

  it('lists none of a server that offers none, and does not ask for them', async () => {
    const before: ServerOptions['before'] = ({ message: { id, method }, response }) => {
      if (method !== 'initialize') return false;
      const serverInfo = { name: 'test', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: { prompts: {} }, serverInfo };
      json(response, { jsonrpc: '2.0', id, result });
      return true;
    };
    const { mcp, list } = await listing({ before });
    expect(await list()).toEqual({ tools: [], ttlMs: 0 });
    expect(mcp.headersOf('tools/list')).toEqual([]);
  });

  it('ends on pages without end', async () => {
    const before: ServerOptions['before'] = ({ message, response }) => {
      if (message.method !== 'tools/list') return false;
      const tools = [{ name: 'one', inputSchema: { type: 'object' } }];
      json(response, { jsonrpc: '2.0', id: message.id, result: { tools, nextCursor: `${Math.random()}` } });
      return true;
    };
    const { mcp, list } = await listing({ before });
    expect(servedToolsOf((await list()).tools).tools).toHaveLength(1);
    expect(mcp.headersOf('tools/list').length).toBeLessThanOrEqual(64);
  });

  it('ends on a server that never answers', async () => {
    await expect((await listing({ before: () => true }, { limitMs: 300 })).list()).rejects.toThrow(
      refused('too-slow'),
    );
  });

  it('reads 10,000 tools, of which a bounded number is kept', async () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => ({ name: `tool-${n}` }));
    const { tools: listed } = await (await listing({ tools })).list();
    expect(servedToolsOf(listed).tools).toHaveLength(200);
  });

  it('follows no redirect to another port of this machine, and one on its own', async () => {
    const other = await serveMcp(() => undefined, { tools: [{ name: 'of-another-program' }] });
    const before: ServerOptions['before'] = ({ response }) => {
      response.writeHead(307, { location: other.url }).end();
      return true;
    };
    await expect((await listing({ before })).list()).rejects.toThrow(refused('address-refused'));
    expect(other.headersOf('tools/list')).toEqual([]);
  });

  it('asks no host but that of the address, and this machine only where that is allowed', async () => {
    const { list } = await listing({ tools: [] }, { allowLoopback: false });
    await expect(list()).rejects.toThrow(refused('address-refused'));
    await expect((await listing({}, { allowed: ['other.example'] })).list()).rejects.toThrow(
      refused('address-refused'),
    );
  });
});
