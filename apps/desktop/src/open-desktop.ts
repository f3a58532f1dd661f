import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BuiltInApp,
  type Connecting,
  createMediaApp,
  openRuntime,
  type Runtime,
  type System,
  type VaultKey,
} from '@svc/runtime';
import { CleanupStack } from '@svc/runtime/cleanup-stack';
import { openClientSecrets } from '@svc/runtime/parts';
import { keepActivity } from './activity/keep-activity.ts';
import { type Activity, openActivity } from './activity/open-activity.ts';
import { type Agents, createAgents, type Places } from './agents/agents.ts';
import { type Program, stdioReach } from './agents/launch.ts';
import { createCall, createRead } from './calls/create-call.ts';
import { createPromptQueue, type PromptQueue } from './cards/prompt-queue.ts';
import { openChats } from './chat/chats.ts';
import { createControl } from './control/control.ts';
import { removeControl, writeControl } from './control/control-file.ts';
import type { Desktop } from './desktop.ts';
import { createPageEvents, type PageEvents } from './events/page-events.ts';
import { createKeptFiles } from './files/kept-files.ts';
import { type OpenFolders, openFolders } from './folders/open-folders.ts';
import { agentBearer } from './gateway/agent-bearer.ts';
import { type Gateway, type GatewayOptions, gatewayRoutes, openGateway } from './gateway/gateway.ts';
import { type Listening, listenForPages } from './http/listen.ts';
import { pageFiles } from './http/page-files.ts';
import { pageRoutes } from './http/routes.ts';
import { serveRoutes } from './http/serve-routes.ts';
import { createUsage } from './http/usage.ts';
import type { PageParts } from './page-api/page-call.ts';
import { createFilePicker, type FilePicker } from './panels/file-picker.ts';
import { createPanelRegistry } from './panels/panel-desk.ts';
import { createSessions } from './sessions/sessions.ts';
import { openAgentSettings } from './settings/agent-settings.ts';
import { openSettings } from './settings/open-settings.ts';
import { openRememberedTools } from './tools/remembered-tools.ts';
import { createUploads } from './uploads/uploads.ts';
import type { AgentChoices } from './wire/views.ts';

export type DesktopOptions = {
  /** Where all is kept; made when it is not there. */
  folder: string;
  system: System;
  /** Address of the store. */
  store: string;
  /** The token of the user for a store that members alone may read. */
  storeToken?: () => string | null;
  /** Reaches the store in the place of the runtime's own way: for tests. */
  fetchStore?: typeof fetch;
  /** Whether apps of the store may have their servers on this machine: for a store that is on it too. */
  localApps?: boolean;
  /** Whether the user may add connectors on this machine and the local network; no, when left out. */
  localConnectors?: boolean;
  /** 0 for any that is free. */
  port: number;
  /** What the page was built into. */
  pageFolder: string;
  client: { name: string; version: string; platform: string; arch: string };
  /** Where the key of the vault comes from. */
  keys: readonly VaultKey[];
  /** Opens an address in the person's browser. @returns whether it could */
  openPage(address: string): Promise<boolean>;
  /** Apps that the desktop brings; `media`, when left out. */
  builtIn?: readonly BuiltInApp[];
  /** Other ways to connect to apps than those of the system: for tests. */
  connecting?: Connecting;
  /** Where agents keep their configuration, and the program that is put there; without it the page offers none. */
  agents?: { places: Places; program: Program };
  /** How agents are served in this run: as the person set it, and as usual, where it says nothing. */
  gateway?: Pick<GatewayOptions, 'mostTools'> & { approvals?: AgentChoices['approvals'] };
  /** Told of faults of the program, after which it goes on. */
  onFault(error: unknown): void;
  /** Told what is worth a line in the log and no fault. */
  onNote?(text: string): void;
};

/** A desktop that runs. */
export type OpenDesktop = {
  desktop: Desktop;
  events: PageEvents;
  folders: OpenFolders;
  /** A link that lets one page in, once, within five minutes. */
  newLink(): string;
  /** For how long neither a page nor an agent was there, in milliseconds. */
  idleMs(): number;
  /** Ends sessions, calls and panels, and closes what is open. Closing twice is closing once. */
  close(): Promise<void>;
};

/** Questions and choices of the person, and who hears of them. */
type Desks = { events: PageEvents; desk: PromptQueue; picks: FilePicker; newId(): string };

function openDesks({ system, onFault }: DesktopOptions): Desks {
  const newId = () => Buffer.from(system.randomBytes(18)).toString('base64url');
  const events = createPageEvents(onFault);
  const desk = createPromptQueue({ now: () => new Date(system.now()), newId });
  desk.listen({
    shown: (card) => events.tell({ type: 'card', card }),
    gone: (cardId) => events.tell({ type: 'card-gone', cardId }),
  });
  return { events, desk, picks: createFilePicker({ events, newId }), newId };
}

/** The record of what apps did, which hears all until it is closed. */
function openActivityOf(
  { system, folder, onFault }: DesktopOptions,
  { events }: Desks,
  opened: CleanupStack,
): Activity {
  const activity = opened.adopt(openActivity(system, folder, onFault), (one) => one.close());
  opened.defer(keepActivity(activity, { events, now: () => new Date(system.now()) }));
  return activity;
}

async function openRuntimeFor(
  options: DesktopOptions,
  { events, desk, picks }: Desks,
  origin: string,
): Promise<Runtime> {
  const { system, client, openPage, connecting } = options;
  const runtime = await openRuntime({
    ...options,
    client: { ...client, origin, builtInApps: [] },
    builtIn: options.builtIn ?? [createMediaApp(system)],
    identity: { name: client.name },
    ask: desk.ask,
    pickFiles: picks.pick,
    async openBrowser(url, { appId, accountId }) {
      // Where no browser can be started, as on a machine without a screen, the page opens it.
      if (!(await openPage(url))) events.tell({ type: 'open-page', url, appId, accountId });
    },
    ...(connecting && { connecting }),
  });
  runtime.events.subscribe((event) => {
    events.tell({ type: 'runtime', event });
    if (event.type !== 'client-document-unused') return;
    options.onNote?.(`client ID metadata document not used for ${event.appId}: ${event.reason}`);
  });
  return runtime;
}

/** The configurations of agents: each starts a gateway to this folder. */
const agentsOf = ({ agents, folder, store, localApps, localConnectors }: DesktopOptions): Agents | null =>
  agents
    ? createAgents({
        places: agents.places,
        undoFile: join(folder, 'agents.json'),
        reach: (agent) => stdioReach(agent, agents.program, { folder, store, localApps, localConnectors }),
      })
    : null;

type Opening = { runtime: Runtime; activity: Activity; origin: string; opened: CleanupStack };

/** All that pages are answered with, and the desktop itself. */
async function openParts(
  options: DesktopOptions,
  desks: Desks,
  { runtime, activity, origin, opened }: Opening,
): Promise<PageParts> {
  const { system, client, folder, onFault, keys } = options;
  const { events, desk, picks, newId } = desks;
  const settings = openSettings(system, folder);
  const agentSettings = openAgentSettings(system, folder, options.gateway?.approvals ?? null);
  const call = createCall({ runtime, desk, events, system });
  const read = createRead({ desk, events, system });
  const panels = createPanelRegistry({ runtime, events, newId, onFault });
  const folders = await openFolders({ runtime, settings, events, closePanels: panels.closeAll });
  const desktop = { runtime, desk, settings, agentSettings, origin, call, read };
  const secrets = openClientSecrets({ folder, keys, system });
  const chats = openChats({ desktop, events, system, folder, secrets, newId, onFault });
  opened.adopt(chats, (one) => one.close());
  const gateway = opened.adopt(await openGatewayOf(options, desktop, events), (one) => one.close());
  const tools = opened.adopt(openRememberedTools(runtime, folder), (one) => one.close());
  return {
    desktop,
    chats,
    ...{ system, events, activity, panels, picks, folders, tools, newId },
    client: {
      ...{ name: client.name, version: client.version, store: runtime.reader.store, folder },
      localConnectors: options.localConnectors === true,
    },
    uploads: createUploads(system),
    kept: createKeptFiles(),
    agents: agentsOf(options),
    gateway,
  };
}

/** The gateway of a folder's agents. */
async function openGatewayOf(
  { system, folder, gateway, onFault }: DesktopOptions,
  desktop: Desktop,
  events: PageEvents,
): Promise<Gateway> {
  const bearer = await agentBearer(folder, system);
  const { mostTools } = gateway ?? {};
  return openGateway({
    desktop,
    system,
    bearer,
    events,
    onFault,
    ...(mostTools !== undefined && { mostTools }),
  });
}

/** Lets in pages and programs from now on. @returns what makes links for pages, and says whether anybody is there */
async function serve(
  options: DesktopOptions,
  opened: CleanupStack,
  { listening, parts }: { listening: Listening; parts: PageParts },
): Promise<Pick<OpenDesktop, 'newLink' | 'idleMs'>> {
  const { system, folder, pageFolder } = options;
  const { runtime } = parts.desktop;
  const sessions = createSessions(system);
  opened.defer(() => sessions.end());
  const newLink = () => `${listening.origin}/#key=${sessions.newKey()}`;
  const control = createControl(system, newLink);
  const page = await pageFiles(pageFolder, { store: runtime.reader.store, panels: runtime.panelSource });
  const routes = [
    ...pageRoutes({ sessions, parts, system, runtime }),
    ...control.routes,
    ...gatewayRoutes(parts.gateway),
  ];
  const usage = createUsage(system);
  listening.serve(usage.watch(serveRoutes(routes, page)));
  const own = { port: listening.port, pid: process.pid, bearer: control.bearer };
  await writeControl(folder, own);
  opened.defer(() => removeControl(folder, own));
  return { newLink, idleMs: usage.idleMs };
}

/**
 * Opens a desktop in a folder: the runtime, and its page on this machine alone. Nothing waits for the store: what needs none
 * works without it.
 * @throws when the folder or the port cannot be had; nothing is left open then
 */
export async function openDesktop(options: DesktopOptions): Promise<OpenDesktop> {
  const opened = new CleanupStack();
  try {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const listening = opened.adopt(await listenForPages(options.port, options.onFault), (one) => one.close());
    const desks = openDesks(options);
    const { origin } = listening;
    // Closed behind the runtime, whose last calls are put on record too.
    const activity = openActivityOf(options, desks, opened);
    const runtime = opened.adopt(await openRuntimeFor(options, desks, origin), (one) => one.close());
    const parts = await openParts(options, desks, { runtime, activity, origin, opened });
    const served = await serve(options, opened, { listening, parts });
    runtime.revocations.start();
    const { desktop, events, folders } = parts;
    let closing: Promise<void> | null = null;
    return {
      desktop,
      events,
      folders,
      ...served,
      close() {
        closing ??= opened.disposeAsync();
        return closing;
      },
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
