import {
  type CallToolResult,
  type Implementation,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { askToConnect, RuntimeError } from '@svc/runtime';
import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentChoices } from '../wire/views.ts';
import { type AskerDeps, agentAsker, WaitsForUserError } from './agent-asker.ts';
import { serveConnectorContent } from './connector-handlers.ts';
import { handFiles } from './hand-files.ts';
import { ALWAYS, SEARCH } from './meta-tools.ts';
import { createFinder, type FindTool, offeredTools, usableApps } from './offered-tools.ts';
import { presentResult } from './present-result.ts';
import { type Progress, progressOf } from './progress.ts';
import { failure, refusalResult } from './refusal-text.ts';
import { searchTools } from './search-tools.ts';
import type { ToolRefresh } from './tool-refresh.ts';

export type SessionDeps = AskerDeps & {
  desktop: Desktop;
  refresh: ToolRefresh;
  /** Creates ids of calls. */
  newId(): string;
  /** Called before each tool call. */
  called(appId: string, tool: string): void;
  onFault(error: unknown): void;
};

/** Project, provider and settings of a session. */
export type SessionScope = {
  /** Id of the project. */
  project: string;
  provider: string | null;
  /** Display name of the agent. */
  agent: string;
  chat: string;
  /** The current settings for the agent. */
  choices(): AgentChoices;
  /** Whether the user approved calls of a tool for the agent beforehand. @param key of `preApprovalKey` */
  isPreApproved(key: string): boolean;
  /** The number of tools from which they are searched instead of listed. */
  searchThreshold(): number;
};

const NAME = { name: 'svc', title: 'svc apps', version: manifest.version } satisfies Implementation;

const INSTRUCTIONS =
  'Tools of the apps that the user installed. Some ask the user first: wait for the answer. Files are given and returned as absolute paths.';

const FindArguments = z.object({ query: z.string().max(1_000), app: z.string().max(200).optional() });
const CallArguments = z.object({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()).optional(),
  files: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
});
const ConnectArguments = z.object({ app: z.string().max(200), account: z.string().max(200) });

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

type Call = { context: ServerContext; progress: Progress; signal: AbortSignal };

/** Creates the MCP server of one agent. Each agent has its own project, provider and dialogs. */
export function createAgentSession(
  deps: SessionDeps,
  resolveScope: (server: Server) => Promise<SessionScope>,
) {
  const { desktop, refresh } = deps;
  const { runtime, settings } = desktop;
  const server = new Server(NAME, {
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: INSTRUCTIONS,
  });
  let resolving: Promise<{ scope: SessionScope; find: FindTool }> | null = null;

  /** Resolves the scope on first use: the project may depend on what the agent reports after initialize. */
  function scopeOnce() {
    resolving ??= resolveScope(server).then((scope) => ({ scope, find: createFinder(runtime, scope) }));
    return resolving;
  }

  async function listTools(): Promise<Tool[]> {
    const { scope } = await scopeOnce();
    const apps = usableApps(runtime, scope);
    const offered = offeredTools(apps);
    if (offered.length >= scope.searchThreshold()) return [...SEARCH, ...ALWAYS];
    const unlisted = apps.filter(({ listed }) => !listed);
    refresh.request(
      unlisted.map(({ app }) => app.appId),
      scope.project,
    );
    return [...offered.map(({ definition }) => definition), ...ALWAYS];
  }

  async function findTools(args: unknown): Promise<CallToolResult> {
    const { query, app } = parsed(FindArguments, args);
    const { scope } = await scopeOnce();
    const offered = () => offeredTools(usableApps(runtime, scope));
    const found = searchTools(offered(), query, app);
    await refresh.wait(
      found.map(({ app: { appId } }) => appId),
      scope.project,
    );
    const names = found.map(({ definition }) => definition.name);
    const now = new Map(offered().map(({ definition }) => [definition.name, definition]));
    return asText({ tools: names.flatMap((name) => now.get(name) ?? []) });
  }

  async function listApps(): Promise<CallToolResult> {
    const { scope } = await scopeOnce();
    const apps = usableApps(runtime, scope).map(async ({ app, tools }) => ({
      app: app.appId,
      name: app.manifest.name,
      description: app.manifest.description,
      tools: tools.length,
      accounts: (await runtime.accounts.list(app)).map(({ id, label, connected }) => ({
        id,
        label,
        connected,
      })),
    }));
    return asText({ project: scope.project, apps: await Promise.all(apps) });
  }

  /** The folders that files may come from: the project's folder and the allowed ones. */
  const foldersOf = ({ project }: SessionScope) => ({
    project: settings.projects().find(({ id }) => id === project)?.folder ?? null,
    allowed: settings.allowedFolders(),
  });

  /** Runs work that may show cards, in the name of the agent. */
  async function asking<T>(call: Call, work: (asker: Asker, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { scope } = await scopeOnce();
    const timeouts = new AbortController();
    const signal = AbortSignal.any([call.signal, timeouts.signal]);
    const asker = agentAsker(deps, {
      agent: scope.agent,
      approvals: () => scope.choices().approvals,
      capabilities: server.getClientCapabilities(),
      context: call.context,
      progress: call.progress,
      giveUp: (reason) => timeouts.abort(reason),
    });
    try {
      return await work(asker, signal);
    } catch (error) {
      throw timeouts.signal.aborted ? timeouts.signal.reason : error;
    }
  }

  async function connectAccount(args: unknown, call: Call): Promise<CallToolResult> {
    const { app: appId, account } = parsed(ConnectArguments, args);
    const { scope } = await scopeOnce();
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
    given: Record<string, unknown>,
    files: Record<string, unknown>,
    call: Call,
  ): Promise<CallToolResult> {
    const { scope, find } = await scopeOnce();
    const { app, tool } = await find(name, call.signal);
    const isFile = ([param]: [string, unknown]) => Object.hasOwn(tool.files, param);
    const paths = { ...Object.fromEntries(Object.entries(given).filter(isFile)), ...files };
    const args = Object.fromEntries(Object.entries(given).filter((entry) => !isFile(entry)));
    const handed = await handFiles(paths, foldersOf(scope));
    const { project, chat } = scope;
    deps.called(app.appId, tool.name);
    const result = await asking(call, (asker, signal) =>
      desktop.call(asker, {
        appId: app.appId,
        callId: deps.newId(),
        tool: tool.id,
        arguments: args,
        files: handed,
        project,
        chat,
        signal,
        isPreApproved: scope.isPreApproved,
        onProgress: call.progress.tool,
      }),
    );
    return presentResult(result);
  }

  function answer(name: string, args: Record<string, unknown>, call: Call): Promise<CallToolResult> {
    switch (name) {
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
        return callApp(name, args, {}, call);
    }
  }

  async function callTool(name: string, args: Record<string, unknown>, context: ServerContext) {
    const call = { context, progress: progressOf(context), signal: context.mcpReq.signal };
    try {
      return await answer(name, args, call);
    } catch (error) {
      if (error instanceof WaitsForUserError) return failure(error.message);
      if (!(error instanceof RuntimeError) && !call.signal.aborted) deps.onFault(error);
      return refusalResult(error);
    }
  }

  serveConnectorContent(server, {
    runtime,
    audience: async () => (await scopeOnce()).scope,
    reading: (context, read, work) => {
      const call = { context, progress: progressOf(context), signal: context.mcpReq.signal };
      return asking(call, (asker, signal) => desktop.read(asker, read, () => work(signal)));
    },
    onFault: deps.onFault,
  });
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools() }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(params.name, params.arguments ?? {}, context),
  );
  return server;
}
