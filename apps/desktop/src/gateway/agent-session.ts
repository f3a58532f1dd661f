import {
  type CallToolResult,
  type LoggingLevel,
  Server,
  type ServerOptions,
  type Tool,
} from '@modelcontextprotocol/server';
import { guarded } from '@svc/contracts/guarded';
import { askToConnect, asRefusal, RuntimeError, type ToolsNow } from '@svc/runtime';
import { serverArguments } from '@svc/runtime/parts';
import * as z from 'zod';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import { type AskerDeps, agentAsker, WaitsForUserError } from './agent-asker.ts';
import type { AgentCall, ServeCall } from './agent-call.ts';
import { serveConnectorContent } from './connector-handlers.ts';
import { handFiles } from './hand-files.ts';
import { forModels, type HostedPanels, pageUri, showsPanels, withPage } from './hosted-panels.ts';
import { ALWAYS, CAPABILITIES, INSTRUCTIONS, NAME, NEW_TOOLS, PANEL_REQUEST, SEARCH } from './meta-tools.ts';
import {
  type FindTool,
  findListed,
  type Offered,
  offeredTools,
  offerInTexts,
  usableApps,
} from './offered-tools.ts';
import { underSchema } from './output-schema.ts';
import { failure, presentResult, readableContent, refusalResult } from './present-result.ts';
import type { SessionScope } from './settle-scope.ts';
import type { ToolRefresh } from './tool-refresh.ts';

export type SessionDeps = AskerDeps & {
  desktop: Desktop;
  refresh: ToolRefresh;
  /** Creates ids of calls. */
  newId(): string;
  onFault(error: unknown): void;
};

/** What the requests of one agent share. */
export type AgentState = {
  scope: SessionScope;
  find: FindTool;
  /** The panels that the agent shows. */
  panels: HostedPanels;
  /** Called before each tool call. */
  called(appId: string, tool: string): void;
  /** Aborted when the user ends the session. */
  ended: AbortSignal;
};

/** How long lists stay fresh without `subscriptions/listen`, in milliseconds (MCP 2026-07-28, "Caching"). */
const FRESH = { ttlMs: 30_000, cacheScope: 'private' } as const;
const CACHE_HINTS: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': FRESH,
  'resources/list': FRESH,
  'resources/templates/list': FRESH,
  'prompts/list': FRESH,
};

const FindArguments = z.object({ query: z.string().max(1_000), app: z.string().max(200).optional() });
const CallArguments = z.object({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()).optional(),
  files: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
});
const ConnectArguments = z.object({ app: z.string().max(200), account: z.string().max(200) });

const declinedBy = (agent: string): string =>
  `The dialog of ${agent} declined. If the user was not asked there, they can have approvals asked on the desktop page instead, in Settings under Approvals.`;

/** What the lists of apps' tools lack, in words of the client. */
function lacking(usable: readonly Pick<ToolsNow, 'notListed'>[]): { notListed?: string[] } {
  const notListed = usable.flatMap((now) => now.notListed);
  return notListed.length === 0 ? {} : { notListed };
}

/** A shared reason: creating an error for each request is expensive. */
const CLOSED = new Error('The connection of the agent has ended.');

const asText = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value, null, 1) }],
});

/** Parses the arguments of a gateway tool. @throws RuntimeError `invalid-arguments` */
function parsed<T>(schema: z.ZodType<T>, args: unknown): T {
  const { success, data, error } = schema.safeParse(args ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw new RuntimeError('invalid-arguments', `${issue?.path.join('.') || 'arguments'}: ${issue?.message}`);
}

/**
 * Creates the MCP server of one agent, or of one request of it. Each agent has its own project, provider and dialogs.
 * @param stateOf resolves its state, which may depend on what the agent reports
 * @param serve how the agent is asked during a call, which depends on its revision of MCP
 */
export function createAgentServer(
  deps: SessionDeps,
  stateOf: (server: Server) => Promise<AgentState>,
  { serve, ...options }: { serve: ServeCall } & Pick<ServerOptions, 'requestState'>,
): Server {
  const { desktop, refresh } = deps;
  const { runtime, settings } = desktop;
  const server = new Server(NAME, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    cacheHints: CACHE_HINTS,
    ...options,
  });
  const closed = new AbortController();
  server.onclose = guarded(() => closed.abort(CLOSED));
  let resolving: Promise<AgentState> | null = null;
  /** The names of tools that the agent has; null before it lists them, and where each request has a server of its own. */
  let known: ReadonlySet<string> | null = null;

  /** Resolves the state on first use: the project may depend on what the agent reports after initialize. */
  function stateOnce(): Promise<AgentState> {
    resolving ??= stateOf(server);
    return resolving;
  }

  const isHost = () => showsPanels(server.getClientCapabilities());

  async function listTools(): Promise<Tool[]> {
    const listed = await listPlain();
    if (!isHost()) return listed;
    const { panels } = await stateOnce();
    const names = new Set(listed.map(({ name }) => name));
    const own = panels.tools().filter(({ name }) => !names.has(name));
    return panels.list().length === 0 ? listed : [...[...listed, ...own].map(forModels), PANEL_REQUEST];
  }

  async function listPlain(): Promise<Tool[]> {
    const { scope } = await stateOnce();
    const apps = usableApps(runtime, scope);
    const offered = offeredTools(apps, scope);
    if (offered.length >= scope.searchThreshold()) return [...SEARCH, ...ALWAYS];
    const unlisted = apps.filter(({ listed }) => !listed);
    refresh.request(
      unlisted.map(({ app }) => app.appId),
      scope.project,
    );
    known = new Set(offered.map(({ definition }) => definition.name));
    return [...offered.map((one) => (isHost() ? withPage(one) : one.definition)), ...ALWAYS];
  }

  async function findTools(args: unknown): Promise<CallToolResult> {
    const { query, app } = parsed(FindArguments, args);
    const { scope } = await stateOnce();
    const offered = () => offeredTools(usableApps(runtime, scope), scope);
    const found = await findListed(offered, { query, app, project: scope.project }, refresh);
    return asText({
      tools: found.map(({ definition }) => definition),
      ...lacking(usableApps(runtime, scope)),
    });
  }

  async function listApps(): Promise<CallToolResult> {
    const { scope } = await stateOnce();
    const usable = usableApps(runtime, scope);
    const isListed = ({ definition }: Offered) => known?.has(definition.name) ?? true;
    const apps = usable.map(async ({ app, tools, notListed }) => ({
      app: app.appId,
      name: app.manifest.name,
      description: app.manifest.description,
      tools: tools.length,
      ...lacking([{ notListed }]),
      accounts: (await runtime.accounts.list(app)).map(({ id, label, connected }) => ({
        id,
        label,
        connected,
      })),
    }));
    return asText({
      project: scope.project,
      apps: await Promise.all(apps),
      ...(!offeredTools(usable, scope).every(isListed) && { note: NEW_TOOLS }),
    });
  }

  /** Runs work that may show cards, in the name of the agent. */
  async function asking<T>(
    call: AgentCall,
    work: (asker: Asker, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { scope, ended } = await stateOnce();
    const timeouts = new AbortController();
    const signal = AbortSignal.any([call.signal, ended, timeouts.signal]);
    let isDeclinedThere = false;
    const asker = agentAsker(deps, {
      ...call,
      declined: () => {
        isDeclinedThere = true;
      },
      agent: scope.agent,
      approvals: () => scope.choices().approvals,
      giveUp: (reason) => timeouts.abort(reason),
    });
    try {
      return await work(asker, signal);
    } catch (error) {
      if (timeouts.signal.aborted) throw timeouts.signal.reason;
      // Programs that run without a user decline for them: the user may not have been asked.
      if (isDeclinedThere && asRefusal(error)?.code === 'declined')
        throw new RuntimeError('declined', declinedBy(scope.agent));
      throw error;
    }
  }

  async function connectAccount(args: unknown, call: AgentCall): Promise<CallToolResult> {
    const { app: appId, account } = parsed(ConnectArguments, args);
    const { scope } = await stateOnce();
    const app = usableApps(runtime, scope).find((usable) => usable.app.appId === appId)?.app;
    if (!app) throw new RuntimeError('not-installed', `Unknown app ${JSON.stringify(appId)}.`);
    const { prompts } = desktop;
    const deps = { ask: prompts.ask, accounts: runtime.accounts };
    await asking(call, (asker, signal) =>
      prompts.as(asker, () => askToConnect(deps, app, account, {}, signal)),
    );
    return asText({ connected: true });
  }

  async function callApp(
    name: string,
    shown: Record<string, unknown>,
    files: Record<string, unknown>,
    call: AgentCall,
  ): Promise<CallToolResult> {
    const { scope, find, called } = await stateOnce();
    const { app, tool, definition } = await find(name, call.signal);
    const given = serverArguments(tool, shown);
    const isFile = ([param]: [string, unknown]) => Object.hasOwn(tool.files, param);
    const paths = { ...Object.fromEntries(Object.entries(given).filter(isFile)), ...files };
    const args = Object.fromEntries(Object.entries(given).filter((entry) => !isFile(entry)));
    const handed =
      Object.keys(paths).length === 0 ? {} : await handFiles(paths, settings.sharedFolders(scope.project));
    const { project, chat } = scope;
    called(app.appId, tool.title);
    const stopLog = runtime.events.subscribe((event) => {
      if (event.type === 'server-log' && event.appId === app.appId)
        call.log(event.level as LoggingLevel, event.text, app.manifest.name).catch(() => undefined);
    });
    const result = await asking(call, (asker, signal) =>
      desktop.call(asker, {
        appId: app.appId,
        callId: deps.newId(),
        tool: tool.id,
        caller: scope,
        arguments: args,
        files: handed,
        project,
        chat,
        signal,
        isPreApproved: scope.isPreApproved,
        onProgress: call.progress.tool,
      }),
    ).finally(stopLog);
    const isShown = isHost() && pageUri(app, tool) !== null;
    const { content, ...rest } = await presentResult(app.appId, result, isShown);
    const answer = { ...rest, content: content.map(readableContent(server)) };
    const { result: taken, isBroken } = underSchema(definition.outputSchema, answer);
    if (!isBroken) return taken;
    offerInTexts(tool);
    refresh.announce();
    const what = `The tool ${JSON.stringify(tool.id)} does not follow its own outputSchema: agents get its answers as texts.`;
    runtime.events.emit({ type: 'server-repaired', appId: app.appId, what });
    return taken;
  }

  /** A request of a panel that the agent shows. Its cards are those of a call by the agent. */
  async function panelRequest(args: unknown, call: AgentCall): Promise<CallToolResult> {
    const { panels } = await stateOnce();
    return asking(call, (asker, signal) => desktop.prompts.as(asker, () => panels.request(args, signal)));
  }

  async function answer(
    name: string,
    args: Record<string, unknown>,
    call: AgentCall,
  ): Promise<CallToolResult> {
    const { panels } = await stateOnce();
    switch (name) {
      case PANEL_REQUEST.name:
        return panelRequest(args, call);
      case 'find_tools':
        return findTools(args);
      case 'list_apps':
        return listApps();
      case 'connect_account':
        return connectAccount(args, call);
      case 'call_tool': {
        const { name: inner, arguments: given = {}, files = {} } = parsed(CallArguments, args);
        return callApp(inner, given, files, call);
      }
      default:
        return panels.shown(name) ?? callApp(name, args, {}, call);
    }
  }

  async function callTool(name: string, args: Record<string, unknown>, call: AgentCall) {
    try {
      return await answer(name, args, call);
    } catch (error) {
      if (error instanceof WaitsForUserError) return failure(error.message);
      if (!asRefusal(error) && !call.signal.aborted) deps.onFault(error);
      return refusalResult(error);
    }
  }

  serveConnectorContent(server, {
    runtime,
    audience: async () => (await stateOnce()).scope,
    reading: (context, read, work, present) =>
      serve(server, context, async (call) =>
        present(await asking(call, (asker, signal) => desktop.read(asker, read, () => work(signal)))),
      ),
    panels: async () => (isHost() ? (await stateOnce()).panels.list() : []),
    readPanel: async (uri) => (isHost() ? (await stateOnce()).panels.read(uri) : null),
    ended: closed.signal,
    onFault: deps.onFault,
  });
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools() }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    serve(server, context, (call) => callTool(params.name, params.arguments ?? {}, call)),
  );
  return server;
}
