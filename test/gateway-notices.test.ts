import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveHere } from '@svc/testkit/http-server';
import { expect, it } from 'vitest';
import { connectAgent, openWorld, pageOf } from './support/gateway-world.ts';

/** The notifications of MCP that a server sends, and the columns of the table in the documentation. */
const KINDS = [
  'notifications/progress',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
] as const;
type Kind = (typeof KINDS)[number];
const ERAS = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof ERAS)[number];

const NOTE = 'note://one';

/** What the server of a test sends without being asked: unsolicited, or to subscribers. */
type Tell = { changed(list: 'tools' | 'prompts' | 'resources'): unknown; updated(): unknown };

function serverThat(tell: () => Tell): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true, listChanged: true } };
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities });
  server.registerTool('tell', { description: 'Sends every notification.' }, async (context) => {
    const { mcpReq } = context;
    await mcpReq.log('warning', 'Careful');
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    const { changed, updated } = tell();
    for (const list of ['tools', 'prompts', 'resources'] as const) await changed(list);
    await updated();
    return { content: [{ type: 'text', text: 'told' }] };
  });
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
  server.registerResource('note', NOTE, {}, async () => ({ contents: [{ uri: NOTE, text: 'One' }] }));
  return server;
}

/** Serves it in the revisions of one era. */
async function serveEra(era: Era): Promise<string> {
  if (era === '2026-07-28') {
    const handler = createMcpHandler(
      () =>
        serverThat(() => ({
          changed: (list) => handler.notify[`${list}Changed`](),
          updated: () => handler.notify.resourceUpdated(NOTE),
        })),
      { legacy: 'reject' },
    );
    const node = toNodeHandler(handler);
    return `${await serveHere(() => (request, response) => void node(request as never, response))}/mcp`;
  }
  const name = { tools: 'Tool', prompts: 'Prompt', resources: 'Resource' } as const;
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const fetch = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const { server }: Pick<McpServer, 'server'> = serverThat(() => ({
      changed: (list) => server[`send${name[list]}ListChanged`](),
      updated: () => server.sendResourceUpdated({ uri: NOTE }),
    }));
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
    await server.connect(transport);
    return transport.handleRequest(request);
  };
  const node = toNodeHandler({ fetch });
  return `${await serveHere(() => (request, response) => void node(request as never, response))}/mcp`;
}

/** Collects what an agent receives. */
async function agentOf(era: Era, to: Parameters<typeof connectAgent>[0], uri: string) {
  const received = new Set<Kind>();
  const note = (kind: Kind) => () => void received.add(kind);
  const client = await connectAgent(to, {
    ...(era === '2026-07-28' && { revision: era }),
    prepare(own: Client) {
      for (const kind of KINDS.slice(1)) own.setNotificationHandler(kind as never, note(kind));
    },
  });
  if (era === '2026-07-28')
    await client.listen({
      ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      resourceSubscriptions: [uri],
    });
  else await client.subscribeResource({ uri });
  return { client, received, onprogress: note('notifications/progress') };
}

const DOCUMENT = readFileSync(
  join(import.meta.dirname, '..', 'docs', 'project', 'foreign-servers.md'),
  'utf8',
);

/** The cells of the documentation's table, from the name of a notification on. */
function documented(kind: Kind): string[] {
  const row = DOCUMENT.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`)) ?? '';
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

it.each(ERAS.flatMap((server) => ERAS.map((agent) => [server, agent] as const)))(
  'notifications of a server of %s reach the runtime, and an agent of %s',
  async (serverEra, agentEra) => {
    const url = await serveEra(serverEra);
    const world = await openWorld({ apps: [], localConnectors: true });
    await pageOf(world);
    const { runtime, desktop, agent: to } = world;
    const { appId } = await runtime.addLocalConnector({ url });
    const project = desktop.settings.projects().find(({ name }) => name === 'First')?.id ?? '';
    await runtime.tools(appId, { project });
    const heard = new Set<Kind>();
    runtime.events.subscribe((event) => {
      if (!('appId' in event) || event.appId !== appId) return;
      if (event.type === 'server-log') heard.add('notifications/message');
      if (event.type === 'server-list-changed') heard.add(`notifications/${event.list}/list_changed`);
      if (event.type === 'server-resource-updated') heard.add('notifications/resources/updated');
    });
    const agent = await agentOf(agentEra, to, `${appId}+${NOTE}`);
    const other = await agentOf(agentEra, to, `${appId}+${NOTE}-2`);
    const { tools } = await agent.client.listTools();
    const name = tools.find((tool) => tool.name.endsWith('__tell'))?.name ?? '';
    const call = () =>
      agent.client.callTool(
        { name, arguments: {}, _meta: { [LOG_LEVEL_META_KEY]: 'info' } },
        { onprogress: agent.onprogress },
      );
    await call();
    await desktop.call(desktop.prompts.asker(), {
      ...{ appId, callId: 'c1', caller: { as: 'user' }, tool: 'tell', arguments: {}, project, chat: 'c' },
      onProgress: () => void heard.add('notifications/progress'),
    });
    const column = (era: Era) => ERAS.indexOf(era);
    const expectedHere = KINDS.filter((kind) => documented(kind)[column(serverEra)] !== 'no');
    const expectedThere = KINDS.filter((kind) => documented(kind)[2 + column(agentEra)] !== 'no');
    await expect.poll(() => [...heard].sort()).toEqual(expectedHere.toSorted());
    // Each list is announced again with each change.
    await call();
    await expect.poll(() => [...agent.received].sort()).toEqual(expectedThere.toSorted());
    // Who subscribes to another resource hears of the lists alone.
    expect([...other.received].filter((kind) => kind === 'notifications/resources/updated')).toEqual([]);
    // The table says nothing of what does not arrive.
    expect(KINDS.every((kind) => documented(kind).length === 4)).toBe(true);
  },
);
