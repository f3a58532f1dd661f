import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { guarded } from '@svc/contracts/guarded';
import {
  type BuiltInApp,
  type Connecting,
  createMediaApp,
  type ManagedOptions,
  openRuntime,
  type Runtime,
  RuntimeError,
  type ServerServices,
  type System,
  type VaultKey,
} from '@svc/runtime';
import { CleanupStack } from '@svc/runtime/cleanup-stack';
import { PAGE_MS } from '@svc/runtime/page-opener';
import { openClientSecrets, openPrivateFolder } from '@svc/runtime/parts';
import { addMissedEnds, keepActivity } from './activity/keep-activity.ts';
import { type Activity, openActivity } from './activity/open-activity.ts';
import { type Agents, createAgents } from './agents/agents.ts';
import type { Places } from './agents/entry.ts';
import { type Program, stdioTarget } from './agents/launch.ts';
import { createCall, createRead } from './calls/create-call.ts';
import { createPromptQueue, type PromptQueue } from './cards/prompt-queue.ts';
import { openChats } from './chat/chats.ts';
import { type Providers, sampleWith } from './chat/providers.ts';
import { createControl } from './control/control.ts';
import { removeControl, writeControl } from './control/find-running-desktop.ts';
import type { Desktop } from './desktop.ts';
import { createPageEvents, type PageEvents } from './events/page-events.ts';
import { createKeptFiles } from './files/kept-files.ts';
import { type OpenFolders, openFolders } from './folders/open-folders.ts';
import { renewAgentBearer } from './gateway/agent-bearer.ts';
import { type Gateway, gatewayRoutes, openGateway } from './gateway/gateway.ts';
import { createUsage, notFound, serveRoutes } from './http/exchange.ts';
import { type Listening, listenAgain, listenForPrograms } from './http/listen.ts';
import { pageFiles } from './http/page-files.ts';
import { pageRoutes } from './http/routes.ts';
import type { Links } from './links/links.ts';
import type { OpenedParts } from './page-api/page-call.ts';
import { readDiagramScript } from './page-api/previews.ts';
import { createFilePicker, createPanelRegistry, type FilePicker } from './panels/panel-registry.ts';
import { createSessions } from './sessions/sessions.ts';
import { type AgentSettings, openAgentSettings } from './settings/agent-settings.ts';
import { openSettings, type Settings } from './settings/open-settings.ts';
import { createStoreLog } from './store-log.ts';
import { createStoreSession, type StoreSession } from './store-session.ts';
import { createUploads } from './uploads/uploads.ts';
import type { AgentChoices } from './wire/views.ts';

export type DesktopOptions = {
  /** Data folder; created if missing. */
  folder: string;
  system: System;
  /** URL of the store. */
  store: string;
  /** URLs of its mirrors, which are asked first. */
  mirrors?: readonly string[];
  /** The user's token for a members-only store, from the environment; and the one of `svc login`. */
  storeToken?: () => string | null;
  loginToken?: () => Promise<string | null>;
  /** The key of the store, and what the company sets; default: a key that is trusted on first use, and nothing. */
  pin?: string;
  managed?: ManagedOptions;
  /** Replaces `fetch` for the store, for tests. */
  fetchStore?: typeof fetch;
  /** Whether apps of the store may have servers on this computer, for a local store. */
  localApps?: boolean;
  /** The private networks that the machine or the environment sets, which the user then cannot change; null when neither does. */
  givenNetworks?: readonly string[] | null;
  /** Whether the user can add connectors on this computer and the local network in this run. Default: what they set on the page. */
  localConnectors?: boolean;
  /** 0 for any free port. */
  port: number;
  /** Output folder of the page's build. */
  pageFolder: string;
  /** The command that starts this desktop again, for the page. Default: without options. */
  command?: string;
  client: { name: string; version: string; platform: string; arch: string };
  /** Sources of the vault key. */
  keys: readonly VaultKey[];
  /** Opens a URL in the user's browser. @returns whether it succeeded */
  openPage(address: string): Promise<boolean>;
  /** Whether the network is paid by volume; default: it is not. Updates wait then. */
  isMetered?(): Promise<boolean>;
  /** Removes the private pages by which URLs were opened in browsers, also by other programs of this folder. */
  removePages?(olderThanMs: number): void;
  /** Built-in apps; default `media`. */
  builtIn?: readonly BuiltInApp[];
  /** Replaces how the runtime connects to apps, for tests. */
  connecting?: Connecting;
  /** Location of agents' configurations, and the program that agents start; without it the page offers no agents. */
  agents?: { places: Places; program: Program };
  /** Opens links of web pages; without it the page does not offer that. */
  links?: Links;
  /** Overrides of the agent settings for this run. */
  gateway?: { approvals?: AgentChoices['approvals'] };
  /** Receives unexpected errors that do not end the program. */
  onFault(error: unknown): void;
  /** Receives notes for the log. */
  onNote?(text: string): void;
};

/** A running desktop. */
export type OpenDesktop = {
  desktop: Desktop;
  events: PageEvents;
  folders: OpenFolders;
  /** Creates a link that opens one page, once, within five minutes. */
  newLink(): string;
  /** Time since a page or an agent was connected, in milliseconds. */
  idleMs(): number;
  /** Ends sessions, calls and panels, and closes the desktop. Idempotent. */
  close(): Promise<void>;
};

/** Queues of questions and file requests, and the events that notify pages. */
type Queues = { events: PageEvents; prompts: PromptQueue; picks: FilePicker; newId(): string };

function openQueues({ system, onFault }: DesktopOptions): Queues {
  const newId = () => Buffer.from(system.randomBytes(18)).toString('base64url');
  const events = createPageEvents(onFault);
  const prompts = createPromptQueue({ now: () => new Date(system.now()), newId });
  prompts.listen({
    shown: (card) => events.emit({ type: 'card', card }),
    gone: (cardId) => events.emit({ type: 'card-gone', cardId }),
  });
  return { events, prompts, picks: createFilePicker({ events, newId }), newId };
}

/** Opens the activity log, which records events until it is closed. */
function openActivityOf(
  { system, folder, onFault }: DesktopOptions,
  { events }: Queues,
  opened: CleanupStack,
): Activity {
  const activity = opened.adopt(openActivity(system, folder, onFault));
  opened.defer(keepActivity(activity, { events, now: () => new Date(system.now()) }));
  return activity;
}

/** What the desktop does for the servers of connectors; the model is known once the conversations are open. */
type Services = Required<ServerServices> & { answerWith(providers: Providers): void };

function createServices(settings: Settings, { prompts }: Queues): Services {
  let sample: ServerServices['sample'];
  return {
    answerWith(providers) {
      sample = sampleWith(providers);
    },
    async sample(request, signal) {
      const { sample: ofCaller } = prompts.asker();
      if (ofCaller) return ofCaller(request, signal);
      if (!sample) throw new RuntimeError('not-offered', 'The desktop is still starting.');
      return sample(request, signal);
    },
    showsPages: true,
    rootsOf: (project) =>
      settings
        .projects()
        .flatMap(({ id, folder, name }) =>
          id === project && folder !== null ? [{ uri: pathToFileURL(folder).href, name }] : [],
        ),
  };
}

async function openRuntimeFor(
  options: DesktopOptions,
  { events, prompts, picks }: Queues,
  {
    origin,
    services,
    settings,
    agentSettings,
    storeSession,
  }: Pick<Opening, 'origin' | 'services' | 'settings' | 'agentSettings' | 'storeSession'>,
): Promise<Runtime> {
  const { system, client, openPage, connecting } = options;
  const runtime = await openRuntime({
    ...options,
    client: { ...client, origin, builtInApps: [] },
    builtIn: options.builtIn ?? [createMediaApp(system)],
    identity: { name: client.name },
    ask: prompts.ask,
    pickFiles: picks.pick,
    services,
    askAboutInstructions: agentSettings.askAboutTools,
    localConnectors: () => options.localConnectors === true || settings.localConnectors(),
    storeToken: storeSession.token,
    privateNetworks: options.givenNetworks ?? settings.privateNetworks,
    autoUpdate: {
      installs: settings.installsUpdates,
      ...(options.isMetered && { isMetered: options.isMetered }),
    },
    async openBrowser(url, { appId, accountId }) {
      // If no browser can be started, for example without a display, the page opens the URL.
      if (!(await openPage(url))) events.emit({ type: 'open-page', url, appId, accountId });
    },
    ...(connecting && { connecting }),
  });
  runtime.events.subscribe((event) => {
    events.emit({ type: 'runtime', event });
    if (event.type === 'client-document-unused')
      options.onNote?.(`client ID metadata document not used for ${event.appId}: ${event.reason}`);
    if (event.type === 'mirror-left')
      options.onNote?.(
        `the mirror ${event.mirror} is not used: ${event.why}. The next mirror, or the store, is asked.`,
      );
    if (event.type === 'mirror-back') options.onNote?.(`the mirror ${event.mirror} is used again.`);
    if (event.type === 'vault-key-in-file')
      options.onNote?.(
        `no keyring is available, so the key of the vault is in ${event.file}, beside the vault. A program that reads both files reads your accounts.`,
      );
  });
  return runtime;
}

/** The configurations of agents, in which each starts a gateway to this folder. */
const agentsOf = ({ agents, folder, store, localApps, localConnectors }: DesktopOptions): Agents | null =>
  agents
    ? createAgents({
        places: agents.places,
        undoFile: join(folder, 'agents.json'),
        target: (agent) => stdioTarget(agent, agents.program, { folder, store, localApps, localConnectors }),
      })
    : null;

type Opening = {
  runtime: Runtime;
  settings: Settings;
  agentSettings: AgentSettings;
  services: Services;
  storeSession: StoreSession;
  activity: Activity;
  origin: string;
  opened: CleanupStack;
};

/** Opens the desktop and everything that page calls use. */
async function openParts(
  options: DesktopOptions,
  queues: Queues,
  { runtime, settings, agentSettings, services, storeSession, activity, origin, opened }: Opening,
): Promise<OpenedParts> {
  const { system, client, folder, onFault, keys } = options;
  const { events, prompts, picks, newId } = queues;
  const call = createCall({ runtime, prompts, events, system, newId });
  const read = createRead({ prompts, events, system, newId });
  const panels = createPanelRegistry({ events, newId, onFault });
  const folders = await openFolders({ runtime, settings, events, closePanels: panels.closeAll });
  const desktop = { runtime, prompts, settings, agentSettings, origin, call, read };
  const secrets = openClientSecrets({ folder, keys, system, events: runtime.events });
  storeSession.keepIn(secrets);
  const chats = opened.adopt(openChats({ desktop, events, system, folder, secrets, newId, onFault }));
  services.answerWith(chats.providers);
  const agents = agentsOf(options);
  const gateway = opened.adopt(await openGatewayOf(options, agents, desktop, events));
  return {
    desktop,
    chats,
    ...{ system, events, activity, panels, picks, folders, newId, storeSession },
    storeLog: createStoreLog(folder, runtime.events),
    client: {
      ...{ name: client.name, version: client.version, store: runtime.reader.store, folder },
      givenLocalConnectors: options.localConnectors === true,
      givenNetworks: options.givenNetworks ?? null,
      command: options.command ?? 'svc desktop',
    },
    uploads: createUploads(system, runtime.prepareMedia),
    kept: createKeptFiles(),
    agents,
    links: options.links ?? null,
    diagramScript: () => readDiagramScript(options.pageFolder),
    gateway,
  };
}

async function openGatewayOf(
  { system, folder, onFault }: DesktopOptions,
  agents: Agents | null,
  desktop: Desktop,
  events: PageEvents,
): Promise<Gateway> {
  const { bearer, earlier } = await renewAgentBearer(folder, system);
  for (const fault of (await agents?.renew(earlier, { origin: desktop.origin, bearer })) ?? [])
    onFault(fault);
  return openGateway({ desktop, system, bearer, events, onFault });
}

type Programs = Awaited<ReturnType<typeof listenForPrograms>>;

/** Starts to serve pages and programs. @returns the functions that create links and report the idle time */
async function serve(
  options: DesktopOptions,
  opened: CleanupStack,
  { listening, programs, parts }: { listening: Listening; programs: Programs; parts: OpenedParts },
): Promise<Pick<OpenDesktop, 'newLink' | 'idleMs'>> {
  const { system, folder, pageFolder } = options;
  const { runtime } = parts.desktop;
  const sessions = createSessions(system);
  opened.defer(() => sessions.end());
  const newLink = () => `${listening.origin}/#key=${sessions.newKey()}`;
  // A program that opens a link ends before its browser has read the page.
  const removeRead = guarded(() => options.removePages?.(PAGE_MS));
  const removeLater = () => setTimeout(removeRead, PAGE_MS + 1_000).unref();
  opened.defer(() => options.removePages?.(0));
  const control = createControl(system, runtime, () => {
    removeLater();
    return newLink();
  });
  const page = await pageFiles(pageFolder, { store: runtime.reader.store, panels: runtime.panelSource });
  const gateway = gatewayRoutes(parts.gateway);
  const usage = createUsage(system);
  listening.serve(
    usage.watch(serveRoutes([...pageRoutes({ sessions, parts, system, runtime }), ...gateway], page)),
  );
  programs.serve(
    usage.watch(
      serveRoutes([...control.routes, ...gateway], () => {
        throw notFound();
      }),
    ),
  );
  const { socket } = programs;
  const own = { socket, port: listening.port, pid: process.pid, bearer: control.bearer };
  await writeControl(folder, own);
  opened.defer(() => removeControl(folder, own));
  return { newLink, idleMs: usage.idleMs };
}

/**
 * Opens a desktop in a folder: the runtime, and its page on the loopback interface. It does not wait for the store, and works offline.
 * @throws if the folder or the port is not available; nothing stays open then
 */
export async function openDesktop(options: DesktopOptions): Promise<OpenDesktop> {
  const opened = new CleanupStack();
  try {
    openPrivateFolder(options.folder);
    const settings = openSettings(options.system, options.folder);
    const { system, folder, onFault } = options;
    const listening = opened.adopt(await listenAgain(folder, options.port, onFault));
    const programs = opened.adopt(await listenForPrograms(folder, system, onFault));
    const queues = openQueues(options);
    const { origin } = listening;
    // Closed after the runtime, whose last calls are recorded too.
    const activity = openActivityOf(options, queues, opened);
    const agentSettings = openAgentSettings(system, folder, options.gateway?.approvals ?? null);
    const services = createServices(settings, queues);
    const storeSession = createStoreSession({
      ...{ store: options.store, fetch: options.fetchStore ?? fetch, system, openPage: options.openPage },
      client: options.client.name,
      given: options.storeToken ?? (() => null),
      saved: options.loginToken ?? (async () => null),
      changed: () => queues.events.emit({ type: 'store-session' }),
    });
    opened.defer(() => storeSession.cancel());
    const kept = { settings, agentSettings, services, storeSession, origin };
    const runtime = opened.adopt(await openRuntimeFor(options, queues, kept));
    const parts = await openParts(options, queues, { ...kept, runtime, activity, opened });
    const served = await serve(options, opened, { listening, programs, parts });
    addMissedEnds(activity, runtime.library.list(), new Date(system.now()));
    runtime.revocations.start();
    const { desktop, events, folders } = parts;
    return { desktop, events, folders, ...served, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
