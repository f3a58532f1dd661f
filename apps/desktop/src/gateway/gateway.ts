import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import { PROVIDERS } from '@svc/contracts';
import type { RuntimeEvent, System } from '@svc/runtime';
import { RuntimeError } from '@svc/runtime';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { Route } from '../http/exchange.ts';
import { bearerIn, sameSecret } from '../http/secret.ts';
import type { AgentSessionView } from '../wire/views.ts';
import { createAgentSession, type Settled } from './agent-session.ts';
import { chooseProject, folderOfRoot } from './choose-project.ts';
import { createConnectLinks } from './connect-links.ts';
import { providerOf } from './providers.ts';
import { type LiveSession, nameOf, viewOf } from './session-view.ts';
import { createToolRefresh } from './tool-refresh.ts';

/** Where agents speak to the desktop, and pages of single questions below it. */
export const MCP_PATH = '/mcp';
const CONNECT_PATH = `${MCP_PATH}/connect`;

/** Sessions at once, and how long one that nobody listens to may be silent, in milliseconds. */
const MAX_SESSIONS = 64;
const IDLE_MS = 30 * 60_000;
/** How long agents may take to say in which folders they work, in milliseconds. */
const ROOTS_MS = 3_000;
/** From this number of tools on they are searched and not listed, unless the session says otherwise. */
const USUAL_MOST_TOOLS = 60;
/** Bytes of one message: arguments are text, as files are given by path. */
const MAX_BYTES = 4 * 1024 * 1024;

export type GatewayOptions = {
  desktop: Desktop;
  system: System;
  /** What agents must know; the page has another. */
  bearer: string;
  /** Told when an agent comes or goes. */
  events: Pick<PageEvents, 'tell'>;
  mostTools?: number;
  onFault(error: unknown): void;
};

/** The tools of installed apps, for agents on this machine. */
export type Gateway = {
  /** Answers what is under `/mcp`, of requests that were admitted to the desktop. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The agents that are connected now, the newest first. */
  sessions(): AgentSessionView[];
  /** Ends a session and what it has under way. @returns whether there was one */
  end(session: string): Promise<boolean>;
  close(): Promise<void>;
};

type Session = LiveSession & { transport: NodeStreamableHTTPServerTransport; open: number };

/** What changes which tools there are. */
const CHANGES: readonly RuntimeEvent['type'][] = [
  'app-installed',
  'app-updated',
  'app-removed',
  'app-switched',
  'app-withdrawn',
  'app-let-back',
  'account-connected',
  'developer-app-changed',
];

function refuse(response: ServerResponse, status: number, message: string, headers = {}): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The folders an agent says it works in: those of its address, and its roots when it has any. */
async function foldersOf(server: Server, query: URLSearchParams): Promise<string[]> {
  const folders = query.getAll('folder');
  if (!server.getClientCapabilities()?.roots) return folders;
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS }).catch(() => ({ roots: [] }));
  return [...roots.flatMap(({ uri }) => folderOfRoot(uri) ?? []), ...folders];
}

/** From which number of tools on they are searched: as the agent's address says, else as the person set it. */
function mostToolsOf(wish: string | null, usual: number): number {
  if (wish === 'all') return Number.POSITIVE_INFINITY;
  return wish === 'search' ? 0 : usual;
}

/** What is wrong with an address, so that a slip in it is told at once; null when nothing is. */
function faultOf(query: URLSearchParams, { settings }: Desktop): string | null {
  const provider = query.get('provider');
  if (provider !== null && !PROVIDERS.some((one) => one === provider))
    return `There is no provider of this name. There are: ${PROVIDERS.join(', ')}.`;
  try {
    chooseProject(settings.projects(), { project: query.get('project') ?? undefined, folders: [] });
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** What the desktop's server sends to the gateway. */
export const gatewayRoutes = (gateway: Gateway): Route[] =>
  [MCP_PATH, `${MCP_PATH}/`].map((path) => ({
    path,
    serve: ({ request, response }) => gateway.handle(request, response),
  }));

/** Opens the gateway; it listens to events until it is closed. */
export function openGateway(options: GatewayOptions): Gateway {
  const { desktop, system, events, onFault, mostTools = USUAL_MOST_TOOLS } = options;
  const sessions = new Map<string, Session>();
  const { accounts } = desktop.runtime;
  const links = createConnectLinks(system, { origin: desktop.origin, path: CONNECT_PATH, accounts });
  const refresh = createToolRefresh(desktop.runtime, system, tellChanged);
  const stopping = new AbortController();

  function tellChanged(): void {
    // One that does not listen hears of it when it asks.
    for (const { server } of sessions.values()) server.sendToolListChanged().catch(() => undefined);
  }
  const stopListening = desktop.runtime.events.subscribe((event) => {
    if (CHANGES.includes(event.type)) tellChanged();
    if (event.type === 'sign-in-ended') links.ended(event.appId, event.accountId);
  });

  const stopHearing = desktop.agentSettings.listen(tellChanged);

  async function settle(server: Server, query: URLSearchParams): Promise<Settled> {
    const agent = nameOf(server);
    const folders = await foldersOf(server, query);
    const location = { project: query.get('project') ?? undefined, folders };
    // What it says of itself and what its address says need not be the same.
    const names = [query.get('provider'), providerOf(agent)].filter((name) => name !== null);
    return {
      project: chooseProject(desktop.settings.projects(), location).id,
      provider: query.get('provider') ?? providerOf(agent),
      agent,
      chat: Buffer.from(system.randomBytes(16)).toString('base64url'),
      choices: () => desktop.agentSettings.choicesFor(names),
      mostTools: () =>
        mostToolsOf(query.get('tools') ?? desktop.agentSettings.choicesFor(names).tools, mostTools),
    };
  }

  const idleOnes = () =>
    [...sessions.values()].filter(({ open }) => open === 0).sort((a, b) => a.usedAt - b.usedAt);
  const isOver = ({ usedAt }: Session) => usedAt + IDLE_MS <= system.now();

  /** Ends those that nobody listens to and that were silent for long; and when all places are taken, the most silent one. */
  function makeRoom(): boolean {
    const idle = idleOnes();
    const over = idle.filter(isOver);
    const ended = over.length > 0 || sessions.size < MAX_SESSIONS ? over : idle.slice(0, 1);
    for (const { server } of ended) server.close().catch(onFault);
    return sessions.size - ended.length < MAX_SESSIONS;
  }

  async function openSession(query: URLSearchParams): Promise<Session> {
    const newId = () => Buffer.from(system.randomBytes(18)).toString('base64url');
    const called = (appId: string, tool: string) => {
      session.calls += 1;
      session.lastCall = { appId, tool, at: new Date(system.now()).toISOString() };
    };
    const deps = { desktop, system, newId, refresh, links, onFault, called };
    const server = createAgentSession(deps, async (own) => {
      session.settled = await settle(own, query);
      return session.settled;
    });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      onsessioninitialized(id) {
        sessions.set(id, session);
        events.tell({ type: 'agents' });
      },
      maxRequestBodySize: MAX_BYTES,
    });
    const now = system.now();
    const session: Session = {
      ...{ id: newId(), server, transport, since: now, usedAt: now, open: 0 },
      ...{ settled: null, calls: 0, lastCall: null },
    };
    server.onclose = () => {
      if (transport.sessionId && sessions.delete(transport.sessionId)) events.tell({ type: 'agents' });
    };
    await server.connect(transport);
    return session;
  }

  async function serve(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
      session.usedAt = system.now();
    });
    await session.transport.handleRequest(request, response);
  }

  async function begin(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const fault = faultOf(query, desktop);
    if (fault !== null) return refuse(response, 400, fault);
    if (request.method !== 'POST') return refuse(response, 400, 'A session begins with initialize, by POST.');
    if (!makeRoom())
      return refuse(response, 503, 'Too many agents are connected at once.', { 'Retry-After': '30' });
    const session = await openSession(query);
    await serve(session, request, response);
    // What began with anything else than initialize is no session.
    if (session.transport.sessionId === undefined) await session.server.close();
  }

  async function handleMcp(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    if (!sameSecret(bearerIn(request.headers.authorization), options.bearer))
      return refuse(response, 401, 'Run "svc connect" again: this agent is not let in.', {
        'WWW-Authenticate': 'Bearer',
      });
    const id = request.headers['mcp-session-id'];
    if (id === undefined) return begin(request, response, query);
    const session = sessions.get(String(id));
    if (!session) return refuse(response, 404, 'The session is over: begin a new one.');
    return serve(session, request, response);
  }

  return {
    async handle(request, response) {
      if (stopping.signal.aborted) return refuse(response, 503, 'The desktop is closing.');
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      if (links.serve(request, response, pathname)) return;
      if (pathname !== MCP_PATH) return refuse(response, 404, `Agents are answered at ${MCP_PATH}.`);
      await handleMcp(request, response, searchParams);
    },
    sessions() {
      const over = new Set(idleOnes().filter(isOver));
      for (const { server } of over) server.close().catch(onFault);
      const live = [...sessions.values()].filter((one) => !over.has(one));
      return live.toSorted((a, b) => b.since - a.since).map((one) => viewOf(desktop, one));
    },
    async end(id) {
      const session = [...sessions.values()].find((one) => one.id === id);
      await session?.server.close();
      return session !== undefined;
    },
    async close() {
      stopping.abort();
      stopListening();
      stopHearing();
      refresh.stop();
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}
