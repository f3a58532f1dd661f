import { describe, expect, it } from 'vitest';
import { connectorUrl, probeConnector } from '../../src/connectors/probe-connector.ts';
import { type Answer, fakeWeb } from '../support/fake-web.ts';
import { realSystem as system } from '../support/real-system.ts';

const URL_OF_SERVER = 'https://mcp.example.com/mcp';
const probe = (answer: Answer) =>
  probeConnector({ guard: fakeWeb({ [URL_OF_SERVER]: answer }).guard, system }, URL_OF_SERVER);

describe('a hosted MCP server added by its address', () => {
  it('becomes an app that accesses only this server, with an account when the server requires one', async () => {
    const header = { 'www-authenticate': 'Bearer' };
    const app = await probe(() => new Response('', { status: 401, headers: header }));
    expect(app).toMatchObject({
      appId: expect.stringMatching(/^local\.mcp-[0-9a-f]{32}$/),
      source: { kind: 'connector', url: URL_OF_SERVER },
      manifest: { accounts: [{ id: 'server', auth: 'mcp', scopes: [] }], remote: { mcpUrl: URL_OF_SERVER } },
      consent: { domains: ['mcp.example.com'], grants: [] },
    });
    const again = await probe(() => new Response('', { status: 401 }));
    expect(again.appId).toBe(app.appId);
    expect(again.manifest.accounts).toHaveLength(1);
  });

  it('has an account when it allows initialize without a token, but not tools/list', async () => {
    const app = await probe(async (request) => {
      const { method } = (await request.json()) as { method: string };
      return new Response('', { status: method === 'initialize' ? 200 : 401 });
    });
    expect(app.manifest.accounts).toHaveLength(1);
  });

  it('has no account when the server requires none, even if its response never ends', async () => {
    const app = await probe(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
    expect(app.manifest.accounts).toEqual([]);
  });

  it.each([
    [404, 'mcp', 'There is no MCP server at this address of mcp.example.com (404).'],
    [405, 'sse', /^mcp\.example\.com has only the HTTP\+SSE transport .* often ends with \/mcp/],
    [500, 'mcp', 'mcp.example.com answers 500. Try again later.'],
    [429, 'sse', 'mcp.example.com answers 429. Try again later.'],
  ])('is refused when it responds with %i at /%s', async (status, path, message) => {
    const url = `https://mcp.example.com/${path}`;
    const stream = () =>
      new Response('event: endpoint\n', { headers: { 'content-type': 'text/event-stream' } });
    const { guard } = fakeWeb({
      [url]: ({ method }) => (method === 'GET' && path === 'sse' ? stream() : new Response('', { status })),
    });
    await expect(probeConnector({ guard, system }, url)).rejects.toMatchObject({
      code: 'server-failed',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('is asked for a revision that servers know which refuse the newest', async () => {
    const app = await probe(async (request) => {
      const { params } = (await request.json()) as { params: { protocolVersion?: string } };
      return new Response('', { status: (params.protocolVersion ?? '') > '2025-06-18' ? 400 : 200 });
    });
    expect(app.manifest.remote.mcpUrl).toBe(URL_OF_SERVER);
  });

  it('is refused when it redirects, or cannot be reached', async () => {
    const moved = () => new Response('', { status: 308, headers: { location: 'https://10.0.0.1/' } });
    await expect(probe(moved)).rejects.toMatchObject({ code: 'server-failed' });
    await expect(probe(() => Promise.reject(new TypeError('no')))).rejects.toMatchObject({
      code: 'server-failed',
    });
  });

  it('is no longer probed when the caller aborts', async () => {
    const { guard } = fakeWeb({ [URL_OF_SERVER]: () => null });
    const caller = new AbortController();
    const attempt = probeConnector({ guard, system }, URL_OF_SERVER, caller.signal);
    caller.abort('enough');
    await expect(attempt).rejects.toBe('enough');
  });

  it.each([
    'http://mcp.example.com/mcp',
    'https://localhost/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://2130706433/mcp',
    'https://me:secret@mcp.example.com/',
    'https://intranet/mcp',
    'https://printer.local/mcp',
    'ftp://mcp.example.com/',
    'no address',
    `https://mcp.example.com/${'x'.repeat(3000)}`,
  ])('cannot have the address %s', async (url) => {
    expect(() => connectorUrl(url)).toThrow(expect.objectContaining({ code: 'address-refused' }));
  });

  it('has the canonical form of its address', () => {
    expect(connectorUrl('HTTPS://MCP.Example.com:443/mcp#top')).toBe(URL_OF_SERVER);
  });
});
