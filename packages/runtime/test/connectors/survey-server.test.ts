import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { surveyServer } from '../../src/connectors/survey-server.ts';
import { guardedMcp } from '../support/mcp-guard.ts';
import { json, serveMcp, text } from '../support/mcp-server.ts';
import { realSystem as system } from '../support/real-system.ts';
import { wildMcp, wildOAuth } from '../support/wild-servers.ts';

const deps = { system, client: { name: 'test', version: '1' } };
const survey = (url: string, token?: string) => surveyServer(deps, url, token === undefined ? {} : { token });

/** A server of the official SDK with a page of MCP Apps. */
function withPage(): McpServer {
  const server = new McpServer(
    { name: 'notes', title: 'Notes', version: '1.0.0' },
    { instructions: 'Finds notes.' },
  );
  server.registerTool(
    'find_notes',
    { title: 'Find', description: 'Finds notes.' },
    async () => text('') as never,
  );
  const _meta = { ui: { csp: { connectDomains: ['https://api.example.com'] } } };
  server.registerResource(
    'board',
    'ui://notes/board',
    { title: 'Board', mimeType: 'text/html;profile=mcp-app' },
    async () => ({
      contents: [
        { uri: 'ui://notes/board', mimeType: 'text/html;profile=mcp-app', text: '<h1>Board</h1>', _meta },
      ],
    }),
  );
  return server;
}

describe('the survey of an MCP server', () => {
  it.each(['stateless', 'reject'] as const)(
    'lists the tools and pages of a server of the current revision, also of it alone (%s)',
    async (legacy) => {
      const handler = toNodeHandler(createMcpHandler(withPage, { legacy }));
      const origin = await serveHere(() => (request, response) => void handler(request as never, response));
      expect(await survey(`${origin}/mcp`)).toMatchObject({
        ...{
          era: 'modern',
          name: 'notes',
          title: 'Notes',
          instructions: 'Finds notes.',
          signIn: null,
          notes: [],
        },
        tools: [{ name: 'find_notes', title: 'Find', description: 'Finds notes.' }],
        pages: [
          {
            uri: 'ui://notes/board',
            title: 'Board',
            html: '<h1>Board</h1>',
            domains: ['https://api.example.com'],
          },
        ],
      });
    },
  );

  it('lists the tools of a server of an earlier revision', async () => {
    const { url } = await serveMcp(() => text(''), { tools: [{ name: 'say', description: 'Says it.' }] });
    expect(await survey(url)).toMatchObject({
      ...{ era: 'legacy', name: 'test', signIn: null, pages: [] },
      tools: [{ name: 'say', description: 'Says it.' }],
    });
  });

  it('has only the place to sign in when the server requires a token', async () => {
    const oauth = await wildOAuth();
    const found = await survey(await guardedMcp(oauth.url, { scope: 'notes:write' }));
    const host = new URL(oauth.url).host;
    expect(found).toMatchObject({ era: null, tools: null, signIn: { host, scopes: ['notes:write'] } });
    expect(found.notes).toEqual([expect.stringContaining('no token was given')]);
    const silent = await serveHere(() => (_request, response) => void response.writeHead(401).end());
    expect((await survey(`${silent}/mcp`)).signIn).toEqual({ host: null, scopes: [] });
  });

  it('lists the tools of a server that requires a token only for calls', async () => {
    const { url } = await serveMcp(() => text(''), {
      tools: [{ name: 'say', description: 'Says it.' }],
      before: ({ message: { method }, response }) => {
        if (method !== 'tools/call') return false;
        response.writeHead(401, { 'www-authenticate': 'Bearer scope="notes:write"' }).end();
        return true;
      },
    });
    expect(await survey(url)).toMatchObject({
      signIn: { host: null, scopes: ['notes:write'] },
      tools: [{ name: 'say' }],
    });
  });

  it('can use a token, which is not in its result or its errors', async () => {
    const oauth = await wildOAuth();
    oauth.access.add('token-0123456789');
    const { url } = await wildMcp(oauth, { stream: true, sessions: true });
    expect(await survey(url, 'token-0123456789')).toMatchObject({
      name: 'wild',
      tools: [{ name: 'say' }],
      signIn: {},
    });
    const refused = await survey(url, 'token-9876543210').catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'server-failed' });
    expect(String(refused)).not.toContain('token-9876543210');
    const echo = await serveMcp(() => text(''), {
      tools: [{ name: 'say', description: 'It is token-0123456789.' }],
    });
    expect(JSON.stringify(await survey(echo.url, 'token-0123456789'))).not.toContain('token-0123456789');
  });

  it('is limited to 200 tools, notes an endless list, and fails for one that is too large', async () => {
    const tools = Array.from({ length: 500 }, (_, n) => ({ name: `tool_${n}`, description: 'x' }));
    const long = await survey((await serveMcp(() => text(''), { tools })).url);
    expect(long.tools).toHaveLength(200);
    expect(long.notes).toEqual(['Only the first 200 of its 500 tools are taken.']);
    const { url } = await serveMcp(() => text(''), {
      before: ({ message: { id, method }, response }) => {
        if (method !== 'tools/list') return false;
        json(response, { jsonrpc: '2.0', id, result: { tools: [], nextCursor: `${Math.random()}` } });
        return true;
      },
    });
    expect((await survey(url)).notes).toEqual([expect.stringContaining('is longer than 64 pages')]);
    const huge = [{ name: 'say', description: 'x'.repeat(9 * 1024 * 1024) }];
    await expect(survey((await serveMcp(() => text(''), { tools: huge })).url)).rejects.toMatchObject({
      code: 'too-large',
    });
  });

  it('fails for an address that is not allowed, or that has no MCP server', async () => {
    for (const url of [
      'no address',
      'http://mcp.example.com/mcp',
      'https://10.0.0.1/mcp',
      'file:///etc/passwd',
      'https://a:b@example.com/',
    ])
      await expect(survey(url)).rejects.toMatchObject({ name: 'RuntimeError' });
    const none = await serveHere(() => (_request, response) => void response.writeHead(404).end());
    await expect(survey(`${none}/mcp`)).rejects.toMatchObject({ code: 'server-failed' });
  });
});
