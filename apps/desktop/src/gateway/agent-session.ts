import {
  type CallToolResult,
  type Implementation,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { askToConnect, RuntimeError } from '@svc/runtime';
import * as z from 'zod';
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
  /** Makes ids of calls, which pages tell apart. */
  newId(): string;
  /** Told of each call of a tool before it is made. */
  called(appId: string, tool: string): void;
  onFault(error: unknown): void;
};

/** What a session is for. */
export type Settled = {
  /** Id of the project. */
  project: string;
  provider: string | null;
  /** Name of the agent, for people. */
  agent: string;
  chat: string;
  /** What is set for it now. */
  choices(): AgentChoices;
  /** Tools from this number on are searched and not listed. */
  mostTools(): number;
};

const NAME = { name: 'svc', title: 'svc apps', version: '0.0.0' } satisfies Implementation;

const INSTRUCTIONS =
  'Tools of the apps that the person installed. Some ask the person first: wait for them. Files are given and returned as absolute paths.';

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

/** Arguments of a tool of ours. @throws RuntimeError `invalid-arguments` */
function parsed<T>(schema: z.ZodType<T>, args: unknown): T {
  const { success, data, error } = schema.safeParse(args ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw new RuntimeError('invalid-arguments', `${issue?.path.join('.') || 'arguments'}: ${issue?.message}`);
}

type Call = { context: ServerContext; progress: Progress; signal: AbortSignal };

/** The tools of apps for one agent: an MCP server of its own, as each has its project, provider and dialogs. */
export function createAgentSession(deps: SessionDeps, settle: (server: Server) => Promise<Settled>) {
  const { desktop, refresh } = deps;
  const { runtime, settings } = desktop;
  const server = new Server(NAME, {
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: INSTRUCTIONS,
  });
  let settling: Promise<{ settled: Settled; find: FindTool }> | null = null;

  /** The project may depend on what the agent says of itself, so it is found when it is first needed. */
  function settledOnce() {
    settling ??= settle(server).then((settled) => ({ settled, find: createFinder(runtime, settled) }));
    return settling;
  }

  async function listTools(): Promise<Tool[]> {
    const { settled } = await settledOnce();
    const apps = usableApps(runtime, settled);
    const offered = offeredTools(apps);
    if (offered.length >= settled.mostTools()) return [...SEARCH, ...ALWAYS];
    const unheard = apps.filter(({ listed }) => !listed);
    refresh.ask(
      unheard.map(({ app }) => app.appId),
      settled.project,
    );
    return [...offered.map(({ definition }) => definition), ...ALWAYS];
  }

  async function findTools(args: unknown): Promise<CallToolResult> {
    const { query, app } = parsed(FindArguments, args);
    const { settled } = await settledOnce();
    const offered = () => offeredTools(usableApps(runtime, settled));
    const found = searchTools(offered(), query, app);
    await refresh.wait(
      found.map((one) => one.app.appId),
      settled.project,
    );
    const names = found.map(({ definition }) => definition.name);
    const now = new Map(offered().map(({ definition }) => [definition.name, definition]));
    return asText({ tools: names.flatMap((name) => now.get(name) ?? []) });
  }

  async function listApps(): Promise<CallToolResult> {
    const { settled } = await settledOnce();
    const apps = usableApps(runtime, settled).map(async ({ app, tools }) => ({
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
    return asText({ project: settled.project, apps: await Promise.all(apps) });
  }

  /** The folders that files may come from: that of the project, and those the person allowed. */
  function foldersOf({ project }: Settled): string[] {
    const folder = settings.projects().find(({ id }) => id === project)?.folder ?? null;
    return [...(folder === null ? [] : [folder]), ...settings.allowedFolders()];
  }

  /** Runs what may ask the person, in the name of the agent. */
  async function asking<T>(call: Call, work: (asker: Asker, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { settled } = await settledOnce();
    const timeouts = new AbortController();
    const signal = AbortSignal.any([call.signal, timeouts.signal]);
    const asker = agentAsker(deps, {
      agent: settled.agent,
      approvals: () => settled.choices().approvals,
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
    const { settled } = await settledOnce();
    const app = usableApps(runtime, settled).find((one) => one.app.appId === appId)?.app;
    if (!app) throw new RuntimeError('not-installed', `There is no app ${JSON.stringify(appId)} here.`);
    const { desk } = desktop;
    const deps = { ask: desk.ask, accounts: runtime.accounts };
    await asking(call, (asker, signal) => desk.as(asker, () => askToConnect(deps, app, account, {}, signal)));
    return asText({ connected: true });
  }

  async function callApp(
    name: string,
    given: Record<string, unknown>,
    files: Record<string, unknown>,
    call: Call,
  ): Promise<CallToolResult> {
    const { settled, find } = await settledOnce();
    const { app, tool } = await find(name, call.signal);
    const isFile = ([param]: [string, unknown]) => Object.hasOwn(tool.files, param);
    const paths = { ...Object.fromEntries(Object.entries(given).filter(isFile)), ...files };
    const args = Object.fromEntries(Object.entries(given).filter((entry) => !isFile(entry)));
    const handed = await handFiles(paths, foldersOf(settled));
    const { project, chat } = settled;
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
    audience: async () => (await settledOnce()).settled,
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
