import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import { PROVIDERS } from '@svc/contracts';
import { guarded } from '@svc/contracts/guarded';
import type { RuntimeEvent, System } from '@svc/runtime';
import { RuntimeError } from '@svc/runtime';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { Route } from '../http/exchange.ts';
import { bearerIn, sameSecret } from '../http/secret.ts';
import type { AgentSessionView } from '../wire/views.ts';
import { createAgentSession, type SessionScope } from './agent-session.ts';
import { chooseProject, folderOfRoot } from './choose-project.ts';
import { createConnectLinks } from './connect-links.ts';
import { providerOf } from './providers.ts';
import { type LiveSession, nameOf, viewOf } from './session-view.ts';
import { createToolRefresh } from './tool-refresh.ts';

/** The MCP endpoint, and the base path of Connect pages below it. */
export const MCP_PATH = '/mcp';
const CONNECT_PATH = `${MCP_PATH}/connect`;

/** Most sessions at the same time, and the idle timeout of a session without open requests, in milliseconds. */
const MAX_SESSIONS = 64;
const IDLE_MS = 30 * 60_000;
/** Timeout of `roots/list`, in milliseconds. */
const ROOTS_MS = 3_000;
/** From this number of tools, agents search instead of listing them, unless set otherwise. */
const DEFAULT_SEARCH_THRESHOLD = 60;
/** Largest message, in bytes: files are given by path. */
const MAX_BYTES = 4 * 1024 * 1024;

export type GatewayOptions = {
  desktop: Desktop;
  system: System;
  /** The bearer of agents; the page has another. */
  bearer: string;
  /** Receives an event when an agent connects or disconnects. */
  events: Pick<PageEvents, 'emit'>;
  searchThreshold?: number;
  onFault(error: unknown): void;
};

/** The MCP server that offers the tools of installed apps to agents on this computer. */
export type Gateway = {
  /** Handles admitted requests under `/mcp`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The connected agents, newest first. */
  sessions(): AgentSessionView[];
  /** Ends a session and its calls. @returns whether the session existed */
  end(session: string): Promise<boolean>;
  close(): Promise<void>;
};

type Session = LiveSession & { transport: NodeStreamableHTTPServerTransport; open: number };

/** Events that change the list of tools. */
const CHANGES: readonly RuntimeEvent['type'][] = [
  'app-installed',
  'app-updated',
  'app-removed',
  'app-switched',
  'app-withdrawn',
  'app-let-back',
  'account-connected',
  'tools-accepted',
  'developer-app-changed',
];

function refuse(response: ServerResponse, status: number, message: string, headers = {}): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The folders an agent works in, as it reports: from its URL and its MCP roots. */
async function foldersOf(server: Server, query: URLSearchParams): Promise<string[]> {
  const folders = query.getAll('folder');
  if (!server.getClientCapabilities()?.roots) return folders;
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS }).catch(() => ({ roots: [] }));
  return [...roots.flatMap(({ uri }) => folderOfRoot(uri) ?? []), ...folders];
}

/** The number of tools from which they are searched: from the agent's URL, else from the settings. */
function searchThresholdOf(mode: string | null, threshold: number): number {
  if (mode === 'all') return Number.POSITIVE_INFINITY;
  return mode === 'search' ? 0 : threshold;
}

/** Validates the URL parameters of a session, so that a typo is reported immediately; null if valid. */
function faultOf(query: URLSearchParams, { settings }: Desktop): string | null {
  const provider = query.get('provider');
  if (provider !== null && !PROVIDERS.some((name) => name === provider))
    return `Unknown provider. Providers: ${PROVIDERS.join(', ')}.`;
  try {
    chooseProject(settings.projects(), { project: query.get('project') ?? undefined, folders: [] });
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** The routes of the gateway. */
export const gatewayRoutes = (gateway: Gateway): Route[] =>
  [MCP_PATH, `${MCP_PATH}/`].map((path) => ({
    path,
    serve: ({ request, response }) => gateway.handle(request, response),
  }));

/** Opens the gateway. It follows events until it is closed. */
export function openGateway(options: GatewayOptions): Gateway {
  const { desktop, system, events, onFault, searchThreshold = DEFAULT_SEARCH_THRESHOLD } = options;
  const sessions = new Map<string, Session>();
  const { accounts } = desktop.runtime;
  const links = createConnectLinks(system, { origin: desktop.origin, path: CONNECT_PATH, accounts });
  const refresh = createToolRefresh(desktop.runtime, system, notifyToolsChanged);
  const stopping = new AbortController();

  function notifyToolsChanged(): void {
    // A session without an open stream gets the new list with its next request.
    for (const { server } of sessions.values()) server.sendToolListChanged().catch(() => undefined);
  }
  const stopListening = desktop.runtime.events.subscribe((event) => {
    if (CHANGES.includes(event.type)) notifyToolsChanged();
    if (event.type === 'sign-in-ended') links.ended(event.appId, event.accountId);
  });

  const stopSettings = desktop.agentSettings.listen(notifyToolsChanged);

  async function settle(server: Server, query: URLSearchParams): Promise<SessionScope> {
    const agent = nameOf(server);
    const folders = await foldersOf(server, query);
    const location = { project: query.get('project') ?? undefined, folders };
    // The agent's own name and its URL may differ; the stricter settings apply.
    const names = [query.get('provider'), providerOf(agent)].filter((name) => name !== null);
    const project = chooseProject(desktop.settings.projects(), location).id;
    return {
      project,
      provider: query.get('provider') ?? providerOf(agent),
      agent,
      chat: Buffer.from(system.randomBytes(16)).toString('base64url'),
      choices: () => desktop.agentSettings.choicesFor(names),
      isPreApproved: (key) => desktop.agentSettings.isPreApproved(names, project, key),
      searchThreshold: () =>
        searchThresholdOf(
          query.get('tools') ?? desktop.agentSettings.choicesFor(names).tools,
          searchThreshold,
        ),
    };
  }

  const idleSessions = () =>
    [...sessions.values()].filter(({ open }) => open === 0).sort((a, b) => a.usedAt - b.usedAt);
  const isExpired = ({ usedAt }: Session) => usedAt + IDLE_MS <= system.now();

  /** Ends expired sessions; if the limit is still reached, also the one idle for longest. @returns whether there is room */
  function makeRoom(): boolean {
    const idle = idleSessions();
    const over = idle.filter(isExpired);
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
      session.scope = await settle(own, query);
      return session.scope;
    });
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      onsessioninitialized(id) {
        sessions.set(id, session);
        events.emit({ type: 'agents' });
      },
      maxRequestBodySize: MAX_BYTES,
    });
    const now = system.now();
    const session: Session = {
      ...{ id: newId(), server, transport, since: now, usedAt: now, open: 0 },
      ...{ scope: null, calls: 0, lastCall: null },
    };
    server.onclose = () => {
      if (transport.sessionId && sessions.delete(transport.sessionId)) events.emit({ type: 'agents' });
    };
    await server.connect(transport);
    return session;
  }

  async function serve(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    session.open += 1;
    const onClose = () => {
      session.open -= 1;
      session.usedAt = system.now();
    };
    response.once('close', guarded(onClose, onFault));
    await session.transport.handleRequest(request, response);
  }

  async function begin(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const fault = faultOf(query, desktop);
    if (fault !== null) return refuse(response, 400, fault);
    if (request.method !== 'POST')
      return refuse(response, 400, 'Start a session with an initialize request, by POST.');
    if (!makeRoom())
      return refuse(response, 503, 'Too many agents are connected. Try again later.', {
        'Retry-After': '30',
      });
    const session = await openSession(query);
    await serve(session, request, response);
    // A request other than initialize did not open a session.
    if (session.transport.sessionId === undefined) await session.server.close();
  }

  async function handleMcp(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    if (!sameSecret(bearerIn(request.headers.authorization), options.bearer))
      return refuse(response, 401, 'The bearer is not valid. Run "svc connect" again.', {
        'WWW-Authenticate': 'Bearer',
      });
    const id = request.headers['mcp-session-id'];
    if (id === undefined) return begin(request, response, query);
    const session = sessions.get(String(id));
    if (!session) return refuse(response, 404, 'The session has ended. Start a new one.');
    return serve(session, request, response);
  }

  return {
    async handle(request, response) {
      if (stopping.signal.aborted) return refuse(response, 503, 'The desktop is closing.');
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      if (links.serve(request, response, pathname)) return;
      if (pathname !== MCP_PATH) return refuse(response, 404, `The MCP endpoint is ${MCP_PATH}.`);
      await handleMcp(request, response, searchParams);
    },
    sessions() {
      const over = new Set(idleSessions().filter(isExpired));
      for (const { server } of over) server.close().catch(onFault);
      const live = [...sessions.values()].filter((session) => !over.has(session));
      return live.toSorted((a, b) => b.since - a.since).map((session) => viewOf(desktop, session));
    },
    async end(id) {
      const session = [...sessions.values()].find((candidate) => candidate.id === id);
      await session?.server.close();
      return session !== undefined;
    },
    async close() {
      stopping.abort();
      stopListening();
      stopSettings();
      refresh.stop();
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}
