import { inBackground } from '@svc/contracts/guarded';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { Events } from '../events/events.ts';
import {
  type ConnectorSettings,
  createConnectorSettings,
  createFileRecipients,
  type FileRecipients,
} from '../library/choice-tables.ts';
import {
  accountOf,
  declaredTools,
  type InstalledApp,
  isConnector,
  requireEnabled,
} from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type Admission, createAdmission, endedBy } from './admission.ts';
import {
  type CallRequest,
  callTool,
  DEFAULT_MS,
  MAX_MS,
  type ToolCallDeps,
  type ToolCallParts,
} from './call-tool.ts';
import { emitNotices } from './connection.ts';
import { type Contents, createContents } from './content/contents.ts';
import {
  type AppTool,
  createKnownTools,
  createRepairs,
  type KnownTools,
  type Listing,
  type Repairs,
} from './known-tools.ts';
import { NO_PINS, type Pins } from './pins/pins.ts';
import type { CallResult } from './read-result.ts';
import { serverRequests } from './server-requests.ts';
import { type ClientSessions, createSessions, type Sessions } from './sessions.ts';
import {
  createServerHealth,
  createWithAccount,
  type ServerHealth,
  useServer,
  type WithAccount,
} from './use-server.ts';

/** Ids of projects and chats: text that a header can carry. */
const OPAQUE_ID = /^[\x21-\x7e]{1,200}$/;

export type CallDeps = ToolCallDeps &
  ClientSessions & {
    events: Events;
    /** The apps that may have files without a question. Default: those of this process. */
    recipients?: FileRecipients;
    /** What the user lets each connector do. Default: the defaults of every connector. */
    connectorSettings?: Pick<ConnectorSettings, 'of'>;
    /** Gives a connector its account. @returns takes it away again. Default: nothing */
    addAccount?: (app: InstalledApp) => () => void;
    /** What is accepted of what servers say of their tools. Default: each listing as it comes. */
    pins?: Pins;
  };

/** The known tools of an app. Shared objects: do not modify them. */
export type ToolsNow = {
  app: InstalledApp;
  tools: readonly AppTool[];
  /** Whether the server has listed them in this process. */
  listed: boolean;
  /** Where their schemas are from: such a listing, an earlier one, or nowhere: a manifest has none. */
  listing: Listing;
  /** What was dropped or repaired of the server's messages, as sentences. */
  repairs: readonly string[];
  /** Those of them by which the list has fewer tools than the server named. */
  notListed: readonly string[];
};

/** Calls the tools of apps. */
export type Calls = {
  /** Lists the tools of an app, from its server. */
  tools(app: InstalledApp, options?: { signal?: AbortSignal }): Promise<AppTool[]>;
  /**
   * Returns the tools of an app without a request: from the last `tools/list` response in this process, or those that the manifest
   * declares (`listed` is false).
   */
  toolsNow(app: InstalledApp): ToolsNow;
  /**
   * Calls a tool of an installed app. Asks the user to connect the account and to approve the call where needed, sends the files, and
   * returns the result without tokens.
   * @throws RuntimeError when the call is not allowed, fails or exceeds a limit
   */
  call(app: InstalledApp, request: CallRequest): Promise<CallResult>;
  /** Resources and prompts of connectors. */
  contents: Contents;
  /** Why the server of an app does not respond; null if it did, or was not asked in this process. */
  serverFault(appId: string): string | null;
  /** Whether a call of an app runs or waits, also for the user. */
  isBusy(appId: string): boolean;
  close(appId: string): Promise<void>;
  /** Aborts all calls, closes all sessions, and unsubscribes from events. */
  stop(): Promise<void>;
};

function requireOpaque(name: 'project' | 'chat', id: unknown): string {
  // Checked at run time: a JavaScript client that omits it would otherwise use the project "undefined".
  if (typeof id === 'string' && OPAQUE_ID.test(id)) return id;
  throw new TypeError(`The ${name} id has 1 to 200 characters of printable ASCII without spaces.`);
}

/** @throws TypeError for an invalid chat id */
export const requireChat = (chat: unknown): string => requireOpaque('chat', chat);

/** @throws TypeError for an invalid project id */
export const requireProject = (project: unknown): string => requireOpaque('project', project);

type ListingParts = CallDeps & {
  recipients: FileRecipients;
  connectorSettings: Pick<ConnectorSettings, 'of'>;
  sessions: Sessions;
  withAccount: WithAccount;
  known: KnownTools;
  repairs: Repairs;
  health: ServerHealth;
};

type Parts = ListingParts & Pick<ToolCallParts, 'list'> & { nextId: () => string };

/** Notes the declared tools that the server of a developer's app does not have (`tools.served`). */
function noteNotServed(
  { repairs }: Pick<ListingParts, 'repairs'>,
  app: InstalledApp,
  served: ReadonlySet<string>,
): void {
  if (app.source.kind !== 'developer') return;
  for (const name of declaredTools(app).map(remoteNameOf))
    if (!served.has(name))
      repairs.add(
        app.appId,
        `The server has no tool "${name}": remove it from plugin.json, or give the name on the server in "remoteName" (tools.served).`,
      );
}

/** Lists the tools from the app's server, or from its manifest while the account is not connected. */
async function listTools(
  parts: ListingParts,
  app: InstalledApp,
  signal: AbortSignal,
  // Listing tools never asks the user to connect; a call does.
  mayAsk = false,
): Promise<AppTool[]> {
  const secrets = parts.sessions.secretsOf(app.appId);
  const use = {
    app,
    accountId: accountOf(app, {}),
    context: { tool: 'tools/list', project: null, chat: null },
    signal,
    ms: DEFAULT_MS,
    mayAsk,
  };
  try {
    const listed = await useServer(parts, use, ({ connection }, timed) => connection.listTools(timed));
    noteNotServed(parts, app, new Set(listed.map(({ name }) => name)));
    return parts.known.record(app, listed, secrets, (...note) => parts.repairs.add(app.appId, ...note));
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'not-connected') return parts.known.of(app).tools;
    throw error;
  }
}

/** Creates ids that are unique across processes: a random prefix and a counter. */
function callIds(system: Pick<System, 'randomBytes'>): () => string {
  const prefix = Buffer.from(system.randomBytes(9)).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}-${last}`;
  };
}

/** Emits the start and the end of a call. */
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

/** Signs in to accounts, also to one that a connector does not have yet: a sign-in that fails leaves it without. */
const signInsOf = ({ tokens, addAccount }: CallDeps): SignInSource => ({
  ...tokens,
  async connect(app, ...rest) {
    const undo = addAccount?.(app);
    try {
      await tokens.connect(app, ...rest);
    } catch (error) {
      undo?.();
      throw error;
    }
  },
});

/** Aborts the calls and closes the sessions of an app that is switched off, yanked, updated or removed. */
function closeOnEvents(
  { events, known, repairs, health, sessions, onFault }: Parts,
  admission: Admission,
): () => void {
  return events.subscribe((event) => {
    known.handleEvent(event);
    repairs.handleEvent(event);
    const ended = endedBy(event);
    if (!ended) return;
    if ('reason' in ended) {
      health.forget(ended.appId);
      admission.close(ended.appId, ended.reason, ended.project);
      // Projects share sessions: after switching an app off in one project they stay open for the others, or become idle and close.
      if ((ended.project ?? null) === null) inBackground(sessions.close(ended.appId), onFault);
    } else if (ended.retire) sessions.retire(ended.appId, ended.accountId);
    else inBackground(sessions.close(ended.appId, ended.accountId), onFault);
  });
}

/** Creates the tool caller. It subscribes to events until `stop`. */
export function createCalls(deps: CallDeps): Calls {
  const { system, builtIn } = deps;
  const {
    recipients = createFileRecipients(),
    pins = NO_PINS,
    connectorSettings = createConnectorSettings(),
    services,
  } = deps;
  const admission = createAdmission(system);
  const repairs = createRepairs(deps.events);
  const health = createServerHealth(deps.events);
  const sessions = createSessions({
    ...deps,
    onEnded: health.failed,
    maxMs: MAX_MS,
    choicesOf: (app) => (isConnector(app) ? connectorSettings.of(app.appId) : null),
    serving: (app, secrets, calls) => ({
      ...serverRequests({ ask: deps.ask, services, connectorSettings, app, secrets, calls }),
      onRepair: (what, missing) => repairs.add(app.appId, secrets.strip(what), missing),
      ...(isConnector(app) && { onNotice: emitNotices(deps, app.appId, secrets) }),
    }),
  });
  const withAccount = createWithAccount(deps.ask, signInsOf(deps));
  const known = createKnownTools(pins);
  const listing: ListingParts = {
    ...{ ...deps, recipients, connectorSettings, sessions, withAccount, known, repairs, health },
  };
  const parts: Parts = {
    ...listing,
    list: (app, signal) => listTools(listing, app, signal, true),
    nextId: callIds(system),
  };
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
      if (own && known.of(app).listing !== 'now') known.record(app, own.tools, sessions.secretsOf(app.appId));
      const { tools, listing } = known.of(app);
      return { app, tools, listing, listed: listing === 'now', ...repairs.of(app.appId) };
    },
    call(app, request) {
      const { project, timeoutMs } = request;
      const turn = { appId: app.appId, project, ms: Math.min(timeoutMs ?? DEFAULT_MS, MAX_MS) };
      return admission.run(turn, request.signal, async (signal) => {
        requireProject(project);
        requireChat(request.chat);
        // It may have been switched off while the call waited.
        requireEnabled(app);
        return withCallEvents(parts, app.appId, request, () => callTool(parts, app, request, signal));
      });
    },
    contents: createContents({ ...parts, pins, admission }),
    serverFault: health.faultOf,
    isBusy: admission.isBusy,
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
