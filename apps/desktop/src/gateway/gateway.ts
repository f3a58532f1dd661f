import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { guarded } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import { RuntimeError, type RuntimeEvent, refusalOfAgent, type System } from '@svc/runtime';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { Route } from '../http/exchange.ts';
import { bearerIn, sameSecret } from '../http/secret.ts';
import { rulesOf } from '../rules-of.ts';
import { serveInSession, serveRoundTrips } from './agent-call.ts';
import { type AgentState, createAgentServer } from './agent-session.ts';
import { isStateless } from './bridge.ts';
import { createConnectLinks } from './connect-links.ts';
import { uriFor } from './connector-content.ts';
import { isSubscribed, watchListed } from './connector-handlers.ts';
import { createHostedPanels } from './hosted-panels.ts';
import { createFinder } from './offered-tools.ts';
import { plainMessage } from './plain-message.ts';
import { faultOf, type LiveSession, settleScope, viewOf } from './settle-scope.ts';
import { createToolRefresh } from './tool-refresh.ts';

/** The MCP endpoint, and the base path of Connect pages below it. */
export const MCP_PATH = '/mcp';
const CONNECT_PATH = `${MCP_PATH}/connect`;

/** Most sessions at the same time, and the idle timeout of a session without open requests, in milliseconds. */
const MAX_SESSIONS = 64;
const IDLE_MS = 30 * 60_000;
/** Largest message, in bytes: files are given by path. */
const MAX_BYTES = 4 * 1024 * 1024;

export type GatewayOptions = {
  desktop: Desktop;
  system: System;
  /** The bearer of agents; the page has another. */
  bearer: string;
  /** Receives an event when an agent connects or disconnects. */
  events: Pick<PageEvents, 'emit'>;
  onFault(error: unknown): void;
};

type Session = LiveSession & {
  /** Requests that are open, and calls that wait for an answer of the agent. */
  open: number;
  state: Promise<AgentState> | null;
  /** Aborted when it ends. */
  ended: AbortController;
  /** Of MCP 2025-11-25 and earlier; later revisions have no sessions, and each client is shown as one. */
  wire: { server: Server; transport: WebStandardStreamableHTTPServerTransport } | null;
};

const LISTS = ['tools', 'resources', 'prompts'] as const;

const CHANGES: readonly RuntimeEvent['type'][] = [
  'app-installed',
  'app-updated',
  'app-removed',
  'app-switched',
  'app-yanked',
  'app-restored',
  'account-connected',
  'tools-accepted',
  'developer-app-changed',
];

/** Whether a request other than `initialize` names its revision itself. */
const namesRevision = (body: unknown): boolean =>
  isObject(body) && typeof body.method === 'string' && body.method !== 'initialize' && isStateless(body);

const refusal = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32000, message } });

const refuse = (status: number, message: string, headers = {}): Response =>
  Response.json(refusal(message), { status, headers });

/** Refuses a request whose body is not read. */
function refuseUnread(response: ServerResponse, status: number, message: string, headers = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(refusal(message)));
}

/** The routes of the gateway. */
export const gatewayRoutes = (gateway: Gateway): Route[] =>
  [MCP_PATH, `${MCP_PATH}/`].map((path) => ({
    path,
    serve: ({ request, response }) => gateway.handle(request, response),
  }));

/** Opens the gateway. It follows events until it is closed. */
export function openGateway(options: GatewayOptions) {
  const { desktop, system, events, onFault } = options;
  /** By MCP session id, or by the name and address of a client without sessions. */
  const sessions = new Map<string, Session>();
  const { accounts } = desktop.runtime;
  const links = createConnectLinks(system, { origin: desktop.origin, path: CONNECT_PATH, accounts });
  const refresh = createToolRefresh(desktop.runtime, system, () => notify('tools'));
  const stopping = new AbortController();
  const newId = () => Buffer.from(system.randomBytes(18)).toString('base64url');
  const shared = { desktop, system, newId, refresh, links, onFault };
  const trips = serveRoundTrips(system);

  /** Clients of MCP 2026-07-28: each request has a server of its own. */
  const stateless = createMcpHandler(
    ({ requestInfo }) => {
      const query = new URL(requestInfo?.url ?? desktop.origin).searchParams;
      const { serve, requestState } = trips;
      const stateOf = (server: Server) => stateIn(holding(sessionOf(server, query), server), server, query);
      return createAgentServer(shared, stateOf, { serve, requestState });
    },
    { legacy: 'reject', maxRequestBodySize: MAX_BYTES, onerror: () => undefined },
  );

  function notify(list: 'tools' | 'resources' | 'prompts'): void {
    const name = { tools: 'Tool', resources: 'Resource', prompts: 'Prompt' } as const;
    // A session without an open stream gets the new list with its next request.
    for (const { wire } of sessions.values())
      wire?.server[`send${name[list]}ListChanged`]().catch(() => undefined);
    stateless.notify[`${list}Changed`]();
  }

  /** Tells who subscribed to a resource that it changed. */
  function notifyOf(uri: string): void {
    const servers = [...sessions.values()].flatMap(({ wire }) => wire?.server ?? []);
    for (const server of servers.filter((one) => isSubscribed(one, uri)))
      server.sendResourceUpdated({ uri }).catch(() => undefined);
    stateless.notify.resourceUpdated(uri);
  }

  const stopListening = desktop.runtime.events.subscribe((event) => {
    if (CHANGES.includes(event.type)) for (const list of LISTS) notify(list);
    if (event.type === 'server-list-changed') {
      refresh.forget(event.appId);
      notify(event.list);
    }
    if (event.type === 'server-resource-updated') notifyOf(uriFor(event.appId, event.uri));
    if (event.type === 'sign-in-ended') links.ended(event.appId, event.accountId);
  });

  // Those of agents that are still allowed open again.
  const stopManaged = desktop.runtime.events.subscribe((event) => {
    if (event.type === 'managed-changed') for (const one of sessions.values()) endOne(one).catch(onFault);
  });
  // A bundle also decides about prompts and resources.
  const stopSettings = desktop.agentSettings.listen(() => LISTS.forEach(notify));

  /** @throws RuntimeError `not-allowed` */
  function requireAgent(names: readonly string[]): void {
    const refused = refusalOfAgent(rulesOf(desktop.runtime), names);
    if (refused) throw refused;
  }

  /** The state of a session, resolved once. */
  function stateIn(session: Session, server: Server, query: URLSearchParams): Promise<AgentState> {
    session.state ??= settleScope(server, query, { desktop, system }).then((scope) => {
      requireAgent(scope.names);
      session.scope = scope;
      return {
        scope,
        find: createFinder(desktop.runtime, scope),
        panels: createHostedPanels({ desktop, newId, onFault }, scope, session.ended.signal),
        ended: session.ended.signal,
        called(appId, tool) {
          session.calls += 1;
          session.lastCall = { appId, tool, at: new Date(system.now()).toISOString() };
        },
      };
    });
    return session.state;
  }

  const idleSessions = () =>
    [...sessions.values()].filter(({ open }) => open === 0).sort((a, b) => a.usedAt - b.usedAt);
  const isExpired = ({ usedAt }: Session) => usedAt + IDLE_MS <= system.now();

  async function endOne(session: Session): Promise<void> {
    for (const [key, one] of sessions) if (one === session) sessions.delete(key);
    session.ended.abort(new RuntimeError('declined', 'The user ended the session of this agent.'));
    events.emit({ type: 'agents' });
    await session.wire?.server.close();
  }

  /** Ends expired sessions; if the limit is still reached, also the one idle for longest. @returns whether there is room */
  function makeRoom(): boolean {
    const idle = idleSessions();
    const over = idle.filter(isExpired);
    const ended = over.length > 0 || sessions.size < MAX_SESSIONS ? over : idle.slice(0, 1);
    for (const session of ended) endOne(session).catch(onFault);
    return sessions.size < MAX_SESSIONS;
  }

  function newSession(client: LiveSession['client'], wire: Session['wire']): Session {
    const now = system.now();
    return {
      ...{ id: newId(), client, wire, since: now, usedAt: now, open: 0 },
      ...{ scope: null, calls: 0, lastCall: null, state: null, ended: new AbortController() },
    };
  }

  /** The entry of a client without sessions: its requests share project, chat and log. */
  function sessionOf(server: Server, query: URLSearchParams): Session {
    const client = server.getClientVersion();
    const key = JSON.stringify([client?.name, client?.version, query.toString()]);
    const known = sessions.get(key);
    if (known) {
      known.usedAt = system.now();
      return known;
    }
    if (!makeRoom()) throw new RuntimeError('too-many', 'Too many agents are connected. Try again later.');
    const session = newSession(() => client, null);
    sessions.set(key, session);
    events.emit({ type: 'agents' });
    return session;
  }

  /** Counts a request of a client without sessions, as long as its server is open. */
  function holding(session: Session, server: Server): Session {
    session.open += 1;
    const closed = server.onclose;
    server.onclose = guarded(() => {
      closed?.();
      session.open -= 1;
      session.usedAt = system.now();
    }, onFault);
    return session;
  }

  async function openSession(query: URLSearchParams): Promise<Session & { wire: object }> {
    const stateOf = (own: Server) => stateIn(session, own, query);
    const server = createAgentServer(shared, stateOf, { serve: serveInSession });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      onsessioninitialized(id) {
        sessions.set(id, session);
        events.emit({ type: 'agents' });
      },
      maxRequestBodySize: MAX_BYTES,
    });
    const wire = { server, transport };
    const session = { ...newSession(() => server.getClientVersion(), wire), wire };
    const closed = server.onclose;
    server.onclose = () => {
      closed?.();
      if (sessions.get(transport.sessionId ?? '') === session) endOne(session).catch(onFault);
    };
    await server.connect(transport);
    return session;
  }

  async function begin(request: Request, parsedBody: unknown, response: ServerResponse): Promise<Response> {
    const { searchParams } = new URL(request.url);
    if (request.method !== 'POST') return refuse(400, 'Start a session with an initialize request, by POST.');
    if (!makeRoom())
      return refuse(503, 'Too many agents are connected. Try again later.', { 'Retry-After': '30' });
    const session = await openSession(searchParams);
    const answer = await serve(session, request, parsedBody, response);
    // A request other than initialize did not open a session.
    if (session.wire.transport.sessionId === undefined) await session.wire.server.close();
    return answer;
  }

  function serve(session: Session, request: Request, parsedBody: unknown, response: ServerResponse) {
    session.open += 1;
    const onClose = () => {
      session.open -= 1;
      session.usedAt = system.now();
    };
    response.once('close', guarded(onClose, onFault));
    return (
      session.wire?.transport.handleRequest(request, { parsedBody }) ??
      Promise.resolve(refuse(404, 'The session has ended. Start a new one.'))
    );
  }

  async function handleMcp(request: Request, response: ServerResponse): Promise<Response> {
    let parsedBody: unknown;
    try {
      if (request.method === 'POST') parsedBody = plainMessage(JSON.parse(await request.text()));
    } catch {
      return refuse(400, 'The body is not valid JSON.');
    }
    // What names its revision is of none with sessions, and its envelope is validated below.
    const isOld = !namesRevision(parsedBody) && (await isLegacyRequest(request, parsedBody));
    const id = request.headers.get('mcp-session-id');
    if (isOld && id !== null) {
      const session = sessions.get(id);
      if (!session?.wire) return refuse(404, 'The session has ended. Start a new one.');
      return serve(session, request, parsedBody, response);
    }
    const { searchParams } = new URL(request.url);
    const fault = faultOf(searchParams, desktop);
    if (fault !== null) return refuse(400, fault);
    if (isOld) return begin(request, parsedBody, response);
    watchListed(desktop, searchParams, parsedBody, request.signal);
    return stateless.fetch(request, { parsedBody });
  }

  return {
    /** Handles admitted requests under `/mcp`. */
    async handle(request: IncomingMessage, response: ServerResponse) {
      if (stopping.signal.aborted) return refuseUnread(response, 503, 'The desktop is closing.');
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      if (links.serve(request, response, pathname)) return;
      if (pathname !== MCP_PATH) return refuseUnread(response, 404, `The MCP endpoint is ${MCP_PATH}.`);
      if (!sameSecret(bearerIn(request.headers.authorization), options.bearer))
        return refuseUnread(response, 401, 'The bearer is not valid. Run "svc connect" again.', {
          'WWW-Authenticate': 'Bearer',
        });
      // RFC 9110 section 12.5.1: it accepts any type, which the MCP server wants to read by name.
      const { accept = '*/*' } = request.headers;
      if (accept.includes('*/*')) request.headers.accept = `application/json, text/event-stream, ${accept}`;
      const fetch = async (asked: Request) => {
        const answer = await handleMcp(asked, response);
        // Node keeps the headers until the first event, for which some clients do not wait.
        setImmediate(guarded(() => response.headersSent && response.flushHeaders(), onFault));
        return answer;
      };
      const limits = { maxRequestBodySize: MAX_BYTES, onerror: onFault };
      await toNodeHandler({ fetch }, limits)(request as NodeIncomingMessageLike, response);
    },
    /** The connected agents, newest first. */
    sessions() {
      const over = new Set(idleSessions().filter(isExpired));
      for (const session of over) endOne(session).catch(onFault);
      const live = [...sessions.values()];
      return live.toSorted((a, b) => b.since - a.since).map((session) => viewOf(desktop, session));
    },
    /** Ends a session and its calls, or all. @returns whether there was one */
    async end(id: string | null): Promise<boolean> {
      const ended = [...sessions.values()].filter((session) => id === null || session.id === id);
      await Promise.all(ended.map(endOne));
      return ended.length > 0;
    },
    async close() {
      stopping.abort();
      stopListening();
      stopManaged();
      stopSettings();
      refresh.stop();
      trips.stop();
      await Promise.all([...[...sessions.values()].map(endOne), stateless.close()]);
    },
  };
}

/** The MCP server that offers the tools of installed apps to agents on this computer. */
export type Gateway = ReturnType<typeof openGateway>;
