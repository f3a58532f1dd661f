import type { Tool } from '@svc/contracts';
import type { BuiltInApp } from '../built-in/built-in-app.ts';
import { requireApproval } from '../cards/approval.ts';
import type { Ask } from '../cards/card.ts';
import type { Events } from '../events/events.ts';
import type { AppStorage } from '../files/app-storage.ts';
import type { HandedFile } from '../files/handed-file.ts';
import { type Prepare, readyFiles, withFiles } from '../files/ready-files.ts';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import type { LoopbackOf } from '../library/loopback.ts';
import type { Connecting } from '../network/connector.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type Admission, createAdmission } from './admission.ts';
import { type Contents, createContents } from './content/contents.ts';
import { accountOf, requireEnabled, toolOf } from './declared-tool.ts';
import { endedBy } from './ended-by.ts';
import { createKnownTools, type KnownTools } from './known-tools.ts';
import type { AppTool } from './list-tools.ts';
import { plainArguments } from './plain-arguments.ts';
import { type CallResult, readResult } from './read-result.ts';
import { type CallProgress, safeProgress } from './safe-progress.ts';
import { createSessions, type SessionDeps, type Sessions } from './sessions.ts';
import type { TokenSource } from './token-source.ts';
import { useServer } from './use-server.ts';
import { createWithAccount, type WithAccount } from './with-account.ts';

/** How long a tool may take, in milliseconds: unless the client says otherwise, and whatever it says. */
const DEFAULT_MS = 120_000;
const MAX_MS = 10 * 60_000;

/** Ids that clients give projects and chats: what a header can carry. */
const OPAQUE_ID = /^[\x21-\x7e]{1,200}$/;

/** What a tool is called with. */
export type CallRequest = {
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  /** Files by the argument that they are handed over as. */
  files?: Readonly<Record<string, readonly HandedFile[]>>;
  /** Names that tell the app which project and chat it works for, and nothing else: opaque, of printable ASCII. */
  project: string;
  chat: string;
  signal?: AbortSignal;
  /** How long the tool may take once it was approved, in milliseconds. */
  timeoutMs?: number;
  onProgress?: (progress: CallProgress) => void;
};

export type CallDeps = {
  system: System;
  events: Events;
  ask: Ask;
  tokens: TokenSource;
  storage: Pick<AppStorage, 'keep'>;
  prepare: Prepare;
  /** How the client names itself to MCP servers. */
  client: { name: string; version: string };
  connecting?: Connecting;
  /** What apps may reach on this machine; folders of developers alone, when left out. */
  loopbackOf?: LoopbackOf;
  /** Apps that the client brings, by id. */
  builtIn?: ReadonlyMap<string, BuiltInApp>;
} & Pick<SessionDeps, 'commands' | 'onFault'>;

/** The tools of an app as they are known; `listed` when its server was heard. They are shared: nobody changes them. */
export type ToolsNow = { app: InstalledApp; tools: readonly AppTool[]; listed: boolean };

/** Calls the tools of apps. */
export type Calls = {
  /** The tools that an agent may be offered now. It asks the app's server, with the account where one is needed. */
  tools(app: InstalledApp, options?: { signal?: AbortSignal }): Promise<AppTool[]>;
  /**
   * The same without asking anybody: as the server listed them last in this process, or as the manifest declares them, when
   * `listed` is false.
   */
  toolsNow(app: InstalledApp): ToolsNow;
  /**
   * Calls a tool: asks the user to connect, and then to approve, where that is needed, hands files over, and gives back what the
   * tool answered without any token.
   * @throws RuntimeError with what kept it from being done, or from being done in bounds
   */
  call(app: InstalledApp, request: CallRequest): Promise<CallResult>;
  /** What connectors have beside tools. */
  contents: Contents;
  /** Ends the calls and sessions of an app. */
  close(appId: string): Promise<void>;
  /** Ends everything, and stops listening to events. */
  stop(): Promise<void>;
};

function requireOpaque(name: 'project' | 'chat', id: unknown): string {
  // Checked at run time: a client in JavaScript that leaves one out would call for the project "undefined".
  if (typeof id === 'string' && OPAQUE_ID.test(id)) return id;
  throw new TypeError(`The ${name} is an id of 1 to 200 characters of printable ASCII, without spaces.`);
}

/** @throws TypeError for what is no id of a chat */
export const requireChat = (chat: unknown): string => requireOpaque('chat', chat);

/** @throws TypeError for what is no id of a project */
export const requireProject = (project: unknown): string => requireOpaque('project', project);

type Parts = CallDeps & {
  sessions: Sessions;
  withAccount: WithAccount;
  known: KnownTools;
  nextId: () => string;
};

/** Sends what was approved, and reads what the tool answers. */
function send(
  parts: Parts,
  app: InstalledApp,
  {
    tool,
    args,
    request,
    signal,
  }: { tool: Tool; args: Record<string, unknown>; request: CallRequest; signal: AbortSignal },
): Promise<CallResult> {
  const { project, chat, timeoutMs = DEFAULT_MS } = request;
  const secrets = parts.sessions.secretsOf(app.appId);
  const onProgress = safeProgress(request.onProgress, secrets);
  const use = {
    app,
    accountId: accountOf(app, tool),
    context: { tool: tool.id, project, chat },
    signal,
    ms: Math.min(timeoutMs, MAX_MS),
    mayAsk: true,
  };
  return useServer(parts, use, async ({ connection, fetch }, timed) => {
    const result = await connection.callTool(tool.id, args, { signal: timed, onProgress });
    return readResult(result, { app, project, secrets, storage: parts.storage, fetch, signal: timed });
  });
}

/** Has the account connected before a card asks to approve the call: the user is not asked to approve what cannot be done yet. */
async function connectFirst(
  { tokens, withAccount }: Parts,
  app: InstalledApp,
  tool: Tool,
  signal: AbortSignal,
): Promise<void> {
  const accountId = accountOf(app, tool);
  if (accountId === null || !tool.confirm) return;
  await withAccount(app, accountId, signal, async () => {
    if (await tokens.ready(app, accountId)) return;
    throw new RuntimeError('not-connected', undefined, { detail: { accountId } });
  });
}

/** One call, from what the agent asks for to what the tool answers. */
async function callTool(
  parts: Parts,
  app: InstalledApp,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallResult> {
  const tool = toolOf(app, request.tool);
  const args = plainArguments(request.arguments);
  const conflicting = Object.keys(tool.files ?? {}).find((param) => Object.hasOwn(args, param));
  if (conflicting !== undefined)
    throw new RuntimeError('file-refused', `${conflicting} takes files, not a value.`);
  const { grants } = enforcedFootprint(app);
  const files = await readyFiles(tool, request.files ?? {}, { grants, prepare: parts.prepare, signal });
  await connectFirst(parts, app, tool, signal);
  await requireApproval({ app, tool, arguments: args, files }, parts.ask, signal);
  return send(parts, app, { tool, args: withFiles(tool, args, files), request, signal });
}

/** The tools of an app as its server has them, or as its manifest declares them while the account is not connected. */
async function listTools(parts: Parts, app: InstalledApp, signal: AbortSignal): Promise<AppTool[]> {
  const secrets = parts.sessions.secretsOf(app.appId);
  const use = {
    app,
    accountId: accountOf(app, {}),
    context: { tool: 'tools/list', project: null, chat: null },
    signal,
    ms: DEFAULT_MS,
    // Nobody asked for a tool yet: that is when a person is asked to connect.
    mayAsk: false,
  };
  try {
    const listed = await useServer(parts, use, ({ connection }, timed) => connection.listTools(timed));
    return parts.known.record(app, listed, secrets);
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'not-connected') return parts.known.of(app, secrets);
    throw error;
  }
}

/** Ids that no other process gives: chance once, and then a number. */
function callIds(system: Pick<System, 'randomBytes'>): () => string {
  const prefix = Buffer.from(system.randomBytes(9)).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}-${last}`;
  };
}

/** Tells of the beginning and the end of a call. */
async function withCallEvents<T>(
  { events, nextId }: Parts,
  appId: string,
  { tool, chat }: Pick<CallRequest, 'tool' | 'chat'>,
  work: () => Promise<T>,
): Promise<T> {
  const call = { appId, tool, callId: nextId(), chat };
  events.emit({ type: 'call-started', ...call });
  try {
    return await work();
  } finally {
    events.emit({ type: 'call-ended', ...call });
  }
}

/** Ends what events end: an app that is switched off, withdrawn, updated or removed loses its calls and sessions at once. */
function closeOnEvents({ events, known, sessions }: Parts, admission: Admission): () => void {
  return events.subscribe((event) => {
    known.handleEvent(event);
    const ended = endedBy(event);
    if (!ended) return;
    if ('reason' in ended) {
      admission.close(ended.appId, ended.reason, ended.project);
      // Projects share the sessions of an app: those of a project that it is off in are not used, and end when they are idle.
      if (ended.project === undefined || ended.project === null) void sessions.close(ended.appId);
    } else if (ended.retire) sessions.retire(ended.appId, ended.accountId);
    else void sessions.close(ended.appId, ended.accountId);
  });
}

/** Makes what calls the tools of apps. It listens to events; `stop` ends that. */
export function createCalls(deps: CallDeps): Calls {
  const { system, tokens, client, connecting, loopbackOf, builtIn } = deps;
  const admission = createAdmission();
  const sessions = createSessions({
    ...{ system, tokens, client, connecting, loopbackOf, builtIn },
    ...{ commands: deps.commands, onFault: deps.onFault },
    maxMs: MAX_MS,
  });
  const withAccount = createWithAccount(deps.ask, tokens);
  const known = createKnownTools();
  const parts: Parts = { ...deps, sessions, withAccount, known, nextId: callIds(system) };
  const unsubscribe = closeOnEvents(parts, admission);
  return {
    tools: (app, { signal } = {}) =>
      admission.run({ appId: app.appId, project: null }, signal, async (ended) => {
        requireEnabled(app);
        return listTools(parts, app, ended);
      }),
    toolsNow(app) {
      requireEnabled(app);
      const own = app.source.kind === 'built-in' ? builtIn?.get(app.appId) : undefined;
      if (own && !known.isListed(app)) known.record(app, own.tools, sessions.secretsOf(app.appId));
      const tools = known.of(app, sessions.secretsOf(app.appId));
      return { app, tools, listed: known.isListed(app) };
    },
    call: (app, request) =>
      admission.run({ appId: app.appId, project: request.project }, request.signal, async (signal) => {
        requireProject(request.project);
        requireChat(request.chat);
        requireEnabled(app);
        return withCallEvents(parts, app.appId, request, () => callTool(parts, app, request, signal));
      }),
    contents: createContents({ ...parts, admission }),
    async close(appId) {
      admission.close(appId, new RuntimeError('switched-off', 'The app was closed.'));
      await sessions.close(appId);
    },
    async stop() {
      unsubscribe();
      admission.stop(new RuntimeError('switched-off', 'The client is closing.'));
      await sessions.stop();
    },
  };
}
