import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Accounts, openAccounts } from './accounts/accounts.ts';
import { offerRequired } from './accounts/offer-required.ts';
import type { Guard } from './accounts/requests.ts';
import type { BuiltInApp } from './built-in/built-in-app.ts';
import { type CallRequest, createCalls, requireProject, type ToolsNow } from './calls/calls.ts';
import type { AppTool } from './calls/list-tools.ts';
import { openToolPins, type ToolPins, type WaitingChanges } from './calls/pins/tool-pins.ts';
import type { CallResult } from './calls/read-result.ts';
import type { Ask } from './cards/card.ts';
import {
  type AddressRequest,
  addLocalConnector,
  type LocalConnectorRequest,
  storeConnector,
} from './connectors/add-local-connector.ts';
import { connectorApp, isSameAddress } from './connectors/connector-app.ts';
import {
  type HeaderStore,
  headerNamesOf,
  openHeaderStore,
  plainHeaders,
} from './connectors/connector-headers.ts';
import {
  type ConnectorChoices,
  type ConnectorSettings,
  openConnectorSettings,
} from './connectors/connector-settings.ts';
import { probeConnector } from './connectors/probe-connector.ts';
import { networksIn, withDefaults } from './defaults.ts';
import { type DeveloperFolder, openDeveloperFolder } from './developer/developer-folder.ts';
import { createEvents, type Events } from './events/events.ts';
import { createAppStorage, type KeptFile, type StoredFile } from './files/app-storage.ts';
import { type FileRecipients, openFileRecipients } from './files/file-recipients.ts';
import type { Prepare } from './files/ready-files.ts';
import { type Save, saveToProject } from './files/save-to-project.ts';
import { createInstaller, type Installer } from './install/installer.ts';
import { checkUpdates, type UpdateOutcome } from './install/update-apps.ts';
import { createAppPictures, type RuntimePictures } from './library/app-pictures.ts';
import { installIdOf } from './library/client.ts';
import type { InstalledApp } from './library/installed-app.ts';
import { createLibrary, type Library } from './library/library.ts';
import { type LibraryStorage, openLibraryStorage } from './library/library-storage.ts';
import { developerFoldersOnly, type LoopbackOf, localAppsOf } from './library/loopback.ts';
import { createPrepare } from './media/prepare.ts';
import { createModels, type RuntimeModels } from './models/model-tools.ts';
import { hostsInside } from './network/connector.ts';
import { createGuardedFetch } from './network/guarded-fetch.ts';
import type { PageRequest } from './panels/connector-page.ts';
import { listenForPanels, type PanelListener } from './panels/listen.ts';
import type { OpenPanel } from './panels/open-panel.ts';
import { createPanels, type Panels, type Shown } from './panels/panels.ts';
import { CleanupStack } from './platform/cleanup-stack.ts';
import { RuntimeError } from './platform/runtime-error.ts';
import { requirePrograms } from './programs/own-program.ts';
import { type Removed, removeApp } from './remove-app.ts';
import { createRevocationWatch, type RevocationWatch } from './revocations/revocation-watch.ts';
import { contentsById, type RuntimePrompts, type RuntimeResources } from './runtime-contents.ts';
import type { CompleteOptions, RuntimeOptions } from './runtime-options.ts';
import { createStorageFetch } from './store/storage-fetch.ts';
import { storeAddress, storeFetch } from './store/store-fetch.ts';
import { createStoreKeys } from './store/store-keys.ts';
import { createStoreReader, type StoreReader } from './store/store-reader.ts';
import { openClientSecrets } from './vault/vault.ts';

export type { RuntimeOptions } from './runtime-options.ts';

/** A file that an app saves into a project: the id and the folder of the project, and the file. */
export type SaveRequest = Omit<Save, 'app' | 'project'> & { project: string; folder: string };

/** How a panel is shown, and in which project. */
export type PanelRequest = Shown & { project: string };

/** The stored files of an app in a project, by the ids of call results. */
export type KeptFiles = {
  /** Lists files, newest first. */
  list(appId: string, where: { project: string }): Promise<StoredFile[]>;
  /** @throws RuntimeError `unknown-file` */
  read(appId: string, id: string, where: { project: string }): Promise<KeptFile & { content: Uint8Array }>;
  /** @throws RuntimeError `unknown-file` */
  remove(appId: string, id: string, where: { project: string }): Promise<void>;
};

/** An app, or its id. */
export type AppOrId = InstalledApp | string;

/** The accounts of apps, which may be given by id. */
export type RuntimeAccounts = Omit<Accounts, 'close' | 'list' | 'connect' | 'token' | 'disconnect'> & {
  list(app: AppOrId): ReturnType<Accounts['list']>;
  connect(app: AppOrId, ...rest: Tail<Accounts['connect']>): ReturnType<Accounts['connect']>;
  token(app: AppOrId, ...rest: Tail<Accounts['token']>): ReturnType<Accounts['token']>;
  disconnect(app: AppOrId, ...rest: Tail<Accounts['disconnect']>): ReturnType<Accounts['disconnect']>;
};

type Tail<F extends (first: InstalledApp, ...rest: never) => unknown> =
  Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;

/** What the user lets connectors do. Both methods throw a RuntimeError `not-offered` for an app that is not a connector. */
export type RuntimeConnectors = {
  choices(appId: string): ConnectorChoices;
  /** Changes some choices. The next call of the connector sees them. */
  choose(appId: string, choices: Partial<ConnectorChoices>): void;
};

/** The client runtime. */
export type Runtime = RuntimeModels & {
  events: Events;
  library: Omit<Library, 'addConnector' | 'present' | 'remove'>;
  reader: StoreReader;
  installer: Installer;
  revocations: RevocationWatch;
  accounts: RuntimeAccounts;
  /** Installs updates of all apps of the store; see `checkUpdates`. */
  update(signal: AbortSignal): Promise<UpdateOutcome[]>;
  /** Lists the tools of an app in a project. @throws RuntimeError as `library.requireUsable` does */
  tools(appId: string, options: { project: string; signal?: AbortSignal }): Promise<AppTool[]>;
  /** The same without a request: from the last `tools/list` response, or from the manifest. @throws RuntimeError */
  toolsNow(appId: string, options: { project: string }): ToolsNow;
  /** The known tools of all apps that can be used in a project. */
  allToolsNow(options: { project: string }): ToolsNow[];
  /** Changes of servers' tools that wait for the user. Models and agents read the accepted descriptions until then. */
  toolChanges: {
    /** @param appId default: all apps */
    list(appId?: string): WaitingChanges[];
    /** @param binding of the changes that the user saw @throws RuntimeError `not-installed`, `consent-needed` */
    accept(appId: string, binding: string): void;
    /** Keeps the accepted descriptions, without asking about these changes again. @throws RuntimeError as `accept` */
    reject(appId: string, binding: string): void;
  };
  /** Calls a tool of an installed app. @throws RuntimeError */
  call(appId: string, request: CallRequest): Promise<CallResult>;
  /** Opens a panel of an installed app, and serves it on this machine. @throws RuntimeError */
  openPanel(appId: string, panelId: string, request: PanelRequest): Promise<OpenPanel>;
  /** Opens the page that the server of a connector gives a tool (MCP Apps), beside a call of it. @throws RuntimeError */
  openPage(appId: string, request: PageRequest): Promise<OpenPanel>;
  /** Source of panels for the content security policy (`frame-src`) of the page that shows them. */
  readonly panelSource: string;
  /** Why the server of an app does not respond; null if it did, or was not asked in this process. */
  serverFault(appId: string): string | null;
  /** Saves a file of an app into a project, after a card. @throws RuntimeError */
  save(appId: string, request: SaveRequest, signal: AbortSignal): Promise<void>;
  /**
   * Adds a hosted MCP server by its URL, and headers to send to it, whose values are stored in the vault alone.
   * @throws RuntimeError `address-refused`, `server-failed`, `id-taken`; `invalid-arguments` for a header
   */
  addConnector(server: string | AddressRequest, signal?: AbortSignal): Promise<InstalledApp>;
  /**
   * Adds a program on this machine, or a server on this machine or the local network, after the user agreed to exactly that.
   * @throws RuntimeError `not-offered` unless the runtime was opened with `localConnectors`; `declined`, `command-refused`,
   *   `address-refused`, `unreachable`, `server-failed`, `too-slow`
   */
  addLocalConnector(request: LocalConnectorRequest, signal?: AbortSignal): Promise<InstalledApp>;
  /** What the user lets connectors do. */
  connectors: RuntimeConnectors;
  resources: RuntimeResources;
  /** Prompts of connectors. */
  prompts: RuntimePrompts;
  /** Icons, marks and other pictures of apps, as bitmaps. */
  pictures: RuntimePictures;
  /** Stored files of apps, including those of earlier sessions. */
  files: KeptFiles;
  openFolder(folder: string): Promise<DeveloperFolder>;
  /** Removes an app or a connector with its accounts and files; see `removeApp`. */
  remove(appId: string): Promise<Removed>;
  /** Aborts calls and sign-ins, closes panels, and releases all resources. Idempotent. */
  close(): Promise<void>;
};

/** Opens the store reader, the installer and the revocation watch. */
function openStoreSide(
  options: CompleteOptions,
  events: Events,
  { storage, pins }: { storage: LibraryStorage; pins: ToolPins },
) {
  const {
    system,
    client,
    fetchStore,
    connecting,
    store,
    pin,
    onFault,
    localApps,
    storeToken: token,
  } = options;
  const networks = networksIn(options);
  const library = createLibrary({
    ...{ storage, events, client },
    builtIn: options.builtIn,
    localConnectors: options.localConnectors,
  });
  const installId = installIdOf(system, storage);
  const reader = createStoreReader({
    ...{ system, store, installId, token },
    fetch: fetchStore ?? storeFetch,
    // A client with its own fetch for the store may not be able to reach another host.
    storage: fetchStore ? undefined : createStorageFetch(store, { system, connecting }),
  });
  const keys = createStoreKeys({ storage, reader, ...(pin !== undefined && { pin }) });
  const installer = createInstaller({
    ...{ system, storage, library, events, client, reader, keys, localApps },
    hostsInside: (hosts) => hostsInside(connecting ?? {}, { networks: networks(), system }, hosts),
    askAboutInstructions: options.askAboutInstructions,
    pins,
  });
  const revocations = createRevocationWatch({ system, storage, library, events, reader, keys, onFault });
  return { library, reader, installer, revocations };
}

/** Opens accounts and calls, over guarded connections. */
function openAppSide(
  options: CompleteOptions,
  events: Events,
  library: Library,
  given: {
    loopbackOf: LoopbackOf;
    recipients: FileRecipients;
    connectorSettings: ConnectorSettings;
    pins: ToolPins;
    headers: HeaderStore;
  },
) {
  const { folder, system, client, fetchStore = storeFetch, connecting, ask, builtIn = [] } = options;
  const { loopbackOf } = given;
  const guard: Guard = (reach) => createGuardedFetch({ ...reach, system, ...(connecting && { connecting }) });
  const installed = (appId: string) => library.get(appId);
  const accounts = openAccounts({ ...options, fetchStore, events, guard, loopbackOf, installed });
  const storage = createAppStorage(system, join(folder, 'files'));
  const prepare = createPrepare(system, options.programs);
  const calls = createCalls({
    system,
    events,
    ask,
    tokens: accounts,
    ...given,
    services: options.services,
    storage,
    prepare,
    builtIn: new Map(builtIn.map((one) => [one.app.appId, withMedia(one, prepare)])),
    client: { name: client.name, version: client.version },
    ...(connecting && { connecting }),
    ...(options.localConnectors && {
      commands: { env: process.env, platform: process.platform, programs: options.programs },
    }),
    onFault: options.onFault,
  });
  return { guard, accounts, storage, prepare, calls, loopbackOf, headers: given.headers };
}

/** A built-in app with the media operations of this runtime. */
const withMedia = (app: BuiltInApp, prepare: Prepare): BuiltInApp => ({
  ...app,
  call: (tool, args, signal) => app.call(tool, args, signal, { prepare }),
});

type AppSide = ReturnType<typeof openAppSide>;

/** Opens panels, and the server for them on this machine. */
async function openPanelSide(
  options: CompleteOptions,
  events: Events,
  library: Library,
  { accounts, calls, prepare, loopbackOf }: AppSide,
): Promise<{ panels: Panels; listener: PanelListener }> {
  const { system, client, ask, pickFiles, panelTokens = 'confined', onFault } = options;
  const listener = await listenForPanels((request) => panels.serve(request), onFault);
  const panels: Panels = createPanels({
    system,
    events,
    accounts,
    loopbackOf,
    client: {
      name: client.name,
      version: client.version,
      origin: client.origin,
      ask,
      tokens: panelTokens,
      ...(pickFiles && { pickFiles }),
      prepareMedia: async ({ name, ...file }, request, signal) => ({
        name,
        ...(await prepare(file, request, signal)),
      }),
    },
    call: async (app, request) => calls.call(library.requireUsable(app.appId, request.project), request),
    bundleFiles: (app) => library.files(app.appId),
    pages: {
      tools: (app) => calls.toolsNow(app).tools,
      read: (app, uri, project) => calls.contents.page(app, uri, { project, chat: null }),
    },
    mayRun: (app, project) => isUnchanged(library.get(app.appId, project), app),
    originOf: listener.originOf,
    onFault,
  });
  return { panels, listener };
}

/** Whether an app is on and unchanged. Comparing versions is not enough: a developer folder may have replaced the app. */
const isUnchanged = (now: InstalledApp | null, then: InstalledApp): boolean =>
  now?.on === true &&
  now.withdrawn === null &&
  isDeepStrictEqual([now.source, now.manifest], [then.source, then.manifest]);

/** Saves a file, if the app can still be used after the user has answered. */
function save(
  { system, ask }: CompleteOptions,
  library: Library,
  [appId, { project, folder, ...file }]: [string, SaveRequest],
  signal: AbortSignal,
): Promise<void> {
  const app = library.requireUsable(appId, project);
  const askForRunning: Ask = async (card, ended, contents) => {
    const answer = await ask(card, ended, contents);
    library.requireUsable(appId, project);
    return answer;
  };
  return saveToProject({ system, ask: askForRunning }, { ...file, app, project: folder }, signal);
}

function openFolders(options: CompleteOptions, events: Events, library: Library) {
  const folders = new Set<DeveloperFolder>();
  let closed = false;
  return {
    async open(folder: string): Promise<DeveloperFolder> {
      const opened = await openDeveloperFolder({ ...options, library, events }, folder, options.onFault);
      folders.add(opened);
      if (closed) opened.close();
      return opened;
    },
    close() {
      closed = true;
      for (const folder of folders) folder.close();
    },
  };
}

/** @throws RuntimeError `not-installed` */
function installedApp(library: Library, app: AppOrId): InstalledApp {
  const installed = typeof app === 'string' ? library.get(app) : app;
  if (!installed) throw new RuntimeError('not-installed', undefined, { detail: { appId: String(app) } });
  return installed;
}

/** The accounts, for apps or their ids. @throws RuntimeError `not-installed` */
function accountsById(accounts: Accounts, library: Library): RuntimeAccounts {
  const appOf = (app: AppOrId) => installedApp(library, app);
  return {
    ...accounts,
    list: async (app) => accounts.list(appOf(app)),
    connect: async (app, ...rest) => accounts.connect(appOf(app), ...rest),
    token: async (app, ...rest) => accounts.token(appOf(app), ...rest),
    disconnect: async (app, ...rest) => accounts.disconnect(appOf(app), ...rest),
  };
}

/** Returns an app that can be used in a project. @throws RuntimeError as `library.requireUsable` does; TypeError for an invalid id */
const usableIn =
  (library: Library) =>
  (appId: string, { project }: { project: string }): InstalledApp =>
    library.requireUsable(appId, requireProject(project));

/** Reuses the id of an existing connector whose URL differs only in spelling. */
function sameConnector(library: Library, probed: InstalledApp): InstalledApp {
  const { mcpUrl } = probed.manifest.remote;
  const found = library
    .list()
    .find(({ source }) => source.kind === 'connector' && isSameAddress(source.url, mcpUrl));
  return found?.source.kind === 'connector'
    ? connectorApp(found.source.url, needsAccount(probed), headerNamesOf(probed))
    : probed;
}

/** The choices for connectors of the library. */
function connectorsById(settings: ConnectorSettings, library: Library): RuntimeConnectors {
  const requireConnector = (appId: string): void => {
    if (library.get(appId)?.source.kind !== 'connector')
      throw new RuntimeError('not-offered', 'Only connectors have these settings.');
  };
  return {
    choices(appId) {
      requireConnector(appId);
      return settings.of(appId);
    },
    choose(appId, choices) {
      requireConnector(appId);
      settings.change(appId, choices);
    },
  };
}

/** Adds local connectors, if the client allows them. */
function localConnectorsOf(
  { system, ask, client, connecting, localConnectors, store }: CompleteOptions,
  library: Library,
  { calls, headers }: AppSide,
  panelsAt: () => readonly string[],
): Runtime['addLocalConnector'] {
  const deps = {
    ...{ library, calls, ask, headers },
    environment: { env: process.env, platform: process.platform, home: homedir() },
    lookUp: connecting?.lookUp,
    ownAddresses: () => [store, client.origin, ...panelsAt()],
    network: { system, ...(connecting && { connecting }) },
  };
  return async (request, signal = new AbortController().signal) => {
    if (localConnectors) return addLocalConnector(deps, request, signal);
    throw new RuntimeError('not-offered', 'This client offers no local connectors.');
  };
}

const needsAccount = ({ manifest }: InstalledApp): boolean => (manifest.accounts ?? []).length > 0;

/** What apps may reach on this machine. @throws TypeError for `localApps` with a store elsewhere */
function loopbackIn(
  { localApps, store, client }: CompleteOptions,
  panelsAt: () => readonly string[],
): LoopbackOf {
  return localApps
    ? localAppsOf(storeAddress(store), () => [client.origin, ...panelsAt()])
    : developerFoldersOnly;
}

/** Opens all parts. Registers them in `opened`, to be closed in reverse order. */
async function openParts(options: CompleteOptions, opened: CleanupStack): Promise<Omit<Runtime, 'close'>> {
  const { system, ask } = options;
  const panelsAt: string[] = [];
  const loopbackOf = loopbackIn(options, () => panelsAt);
  const events = createEvents(options.onFault);
  const storage = opened.adopt(await openLibraryStorage(system, options.folder), (one) => one.close());
  const pins = openToolPins(storage, { system, events });
  const { library, reader, installer, revocations } = openStoreSide(options, events, { storage, pins });
  const connectorSettings = openConnectorSettings(storage.database, events);
  const apps = openAppSide(options, events, library, {
    loopbackOf,
    recipients: openFileRecipients(storage.database),
    connectorSettings,
    pins,
    headers: openHeaderStore(openClientSecrets({ ...options, events })),
  });
  opened.defer(() => apps.prepare.close());
  opened.defer(() => apps.accounts.close());
  opened.defer(() => apps.calls.stop());
  const { panels, listener } = await openPanelSide(options, events, library, apps);
  panelsAt.push(listener.address);
  opened.defer(() => listener.close());
  opened.defer(() => panels.end());
  const folders = openFolders(options, events, library);
  opened.defer(() => folders.close());
  opened.defer(() => revocations.stop());
  const { accounts, calls, storage: files } = apps;
  const usable = usableIn(library);
  opened.defer(offerRequired({ events, library, accounts, ask, onFault: options.onFault }));

  const core: Pick<Runtime, 'allToolsNow' | 'call'> = {
    allToolsNow: ({ project }) => library.usable(requireProject(project)).map((app) => calls.toolsNow(app)),
    call: async (appId, request) => {
      try {
        return await calls.call(usable(appId, request), request);
      } catch (error) {
        // The server of a yanked app is often gone.
        if (error instanceof RuntimeError && error.code === 'server-failed') revocations.hint();
        throw error;
      }
    },
  };
  const models = createModels({ toolsNow: (project) => core.allToolsNow({ project }), call: core.call });

  return {
    ...core,
    ...models,
    events,
    library,
    reader,
    installer,
    revocations,
    accounts: accountsById(accounts, library),
    update: (signal) => checkUpdates({ library, reader, installer, revocations, ask }, signal),
    tools: async (appId, { project, ...given }) => calls.tools(usable(appId, { project }), given),
    toolsNow: (appId, where) => calls.toolsNow(usable(appId, where)),
    toolChanges: {
      list: (appId) =>
        library
          .list()
          .flatMap((app) => (appId === undefined || app.appId === appId ? (pins.waiting(app) ?? []) : [])),
      accept: (appId, binding) => pins.accept(installedApp(library, appId), binding),
      reject: (appId, binding) => pins.reject(installedApp(library, appId), binding),
    },
    serverFault: calls.serverFault,
    openPanel: async (appId, panelId, request) => panels.open(usable(appId, request), panelId, request),
    openPage: async (appId, request) => panels.openPage(usable(appId, request), request),
    panelSource: listener.source,
    save: async (appId, request, signal) => save(options, library, [appId, request], signal),
    async addConnector(server, signal) {
      const { url, headers: given = {} } = typeof server === 'string' ? { url: server } : server;
      const headers = plainHeaders(given);
      const probed = await probeConnector({ guard: apps.guard, system }, url, signal, headers);
      return storeConnector({ library, ...apps }, sameConnector(library, probed), headers);
    },
    connectors: connectorsById(connectorSettings, library),
    addLocalConnector: localConnectorsOf(options, library, apps, () => panelsAt),
    ...contentsById(calls.contents, usable),
    pictures: createAppPictures({
      ...{ system, library, draw: apps.prepare.draw },
      folder: join(options.folder, 'drawings'),
    }),
    files: {
      list: async (appId, { project }) => files.list({ appId, project: requireProject(project) }),
      read: (appId, id, { project }) => files.read({ appId, project }, id),
      remove: (appId, id, { project }) => files.remove({ appId, project }, id),
    },
    openFolder: (folder) => folders.open(folder),
    remove: (appId) => removeApp({ library, ...apps }, appId),
  };
}

/**
 * Opens the runtime in a folder. It sends no request until the client calls a method. The client starts the revocation watch with
 * `revocations.start`.
 * @throws when the folder cannot be used, or a later runtime wrote it; all resources are released then. TypeError where a program of
 *   the runtime is not found, which names the option to set
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const opened = new CleanupStack();
  try {
    requirePrograms(options.programs ?? {});
    const parts = await openParts(withDefaults(options), opened);
    let closing: Promise<void> | null = null;
    return {
      ...parts,
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
