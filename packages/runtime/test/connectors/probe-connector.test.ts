import { describe, expect, it } from 'vitest';
import { connectorUrl, probeConnector } from '../../src/connectors/probe-connector.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { type Answer, fakeWeb } from '../support/fake-web.ts';
import { realSystem as system } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';

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

  it.each([
    [404, 'There is no MCP server at this address of mcp.example.com (404).'],
    [500, 'mcp.example.com answers 500. Try again later.'],
    [429, 'mcp.example.com answers 429. Try again later.'],
  ])('is refused when it responds with %i', async (status, message) => {
    await expect(probe(() => new Response('', { status }))).rejects.toMatchObject({
      code: 'server-failed',
      message,
    });
  });

  it('is refused when it is no MCP server, redirects, or cannot be reached', async () => {
    const page = () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } });
    await expect(probe(page)).rejects.toEqual(refused('server-failed'));
    const moved = () => new Response('', { status: 308, headers: { location: 'https://10.0.0.1/' } });
    await expect(probe(moved)).rejects.toEqual(refused('server-failed'));
    await expect(probe(() => Promise.reject(new RuntimeError('unreachable')))).rejects.toEqual(
      refused('unreachable'),
    );
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
