import { homedir } from 'node:os';
import { join } from 'node:path';
import { storeAddress } from '@svc/contracts/store-address';
import manifest from '../package.json' with { type: 'json' };
import type { Accounts } from './accounts/accounts.ts';
import { offerRequired } from './accounts/offer-required.ts';
import { requireProject } from './calls/calls.ts';
import { openPins } from './calls/pins/pins.ts';
import type { Ask } from './cards/card.ts';
import { addLocalConnector, storeConnector } from './connectors/add-local-connector.ts';
import { connectorApp, isSameAddress } from './connectors/connector-app.ts';
import { openHeaderStore, plainHeaders } from './connectors/connector-headers.ts';
import { probeConnector } from './connectors/probe-connector.ts';
import { withDefaults } from './defaults.ts';
import { createEvents } from './events/events.ts';
import { saveToProject } from './files/save-to-project.ts';
import { checkUpdates } from './install/update-apps.ts';
import { createAppPictures } from './library/app-pictures.ts';
import {
  type ConnectorSettings,
  openConnectorSettings,
  openFileRecipients,
} from './library/choice-tables.ts';
import { headerNamesOf, type InstalledApp } from './library/installed-app.ts';
import { isAllowed, type Library } from './library/library.ts';
import { developerFoldersOnly, forSignIn, localAppsOf } from './library/loopback.ts';
import { createModels } from './models/model-tools.ts';
import { requireNetwork } from './network/network.ts';
import {
  type AppSide,
  openAppSide,
  openFolders,
  openManaged,
  openPanelSide,
  openStoreFetch,
  openStoreSide,
  openUpdates,
} from './open-sides.ts';
import { CleanupStack } from './platform/cleanup-stack.ts';
import { RuntimeError } from './platform/runtime-error.ts';
import { openTracing, type Tracing } from './platform/tracing.ts';
import { requirePrograms } from './programs/own-program.ts';
import { removeApp } from './remove-app.ts';
import type { AppOrId, Runtime, RuntimeAccounts, RuntimeConnectors, SaveRequest } from './runtime.ts';
import { contentsById } from './runtime-contents.ts';
import type { CompleteOptions, RuntimeOptions } from './runtime-options.ts';
import { folderStorage } from './storage/storage.ts';
import { openClientSecrets } from './vault/vault.ts';

export type { RuntimeOptions } from './runtime-options.ts';

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
    token: async (app, ...rest) => {
      const refused = library.refusal(appOf(app));
      if (refused) throw refused;
      return accounts.token(appOf(app), ...rest);
    },
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

/** Adds hosted connectors. A host that the company refuses is not asked. */
function addConnectorOf(
  { system }: CompleteOptions,
  library: Library,
  apps: AppSide,
): Runtime['addConnector'] {
  return async (server, signal) => {
    const { url, headers: given = {} } = typeof server === 'string' ? { url: server } : server;
    const refused = URL.canParse(url) ? library.refusal(connectorApp(url, false)) : null;
    if (refused) throw refused;
    const headers = plainHeaders(given);
    const probed = await probeConnector({ guard: apps.guard, system }, url, signal, headers);
    return storeConnector({ library, ...apps }, sameConnector(library, probed), headers);
  };
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
    if (isAllowed(localConnectors)) return addLocalConnector(deps, request, signal);
    throw new RuntimeError('not-offered', 'This client offers no local connectors.');
  };
}

const needsAccount = ({ manifest }: InstalledApp): boolean => (manifest.accounts ?? []).length > 0;

/** What apps, and their sign-ins, may reach on this machine. @throws TypeError for `localApps` with a store elsewhere */
function loopbackIn({ localApps, store, client }: CompleteOptions, panelsAt: () => readonly string[]) {
  const own = () => [store, client.origin, ...panelsAt()];
  const loopbackOf = localApps ? localAppsOf(storeAddress(store), own) : developerFoldersOnly;
  return { loopbackOf, signInLoopbackOf: forSignIn(loopbackOf, own) };
}

/** Opens all parts. Registers them in `opened`, to be closed in reverse order. */
async function openParts(
  { options, tracing }: { options: CompleteOptions; tracing: Tracing },
  opened: CleanupStack,
): Promise<Omit<Runtime, 'close'>> {
  const { system, ask } = options;
  const panelsAt: string[] = [];
  const loopbacks = loopbackIn(options, () => panelsAt);
  const events = createEvents(options.onFault);
  const storage = opened.adopt(await (options.storage ?? folderStorage)(options));
  const pins = openPins(storage.library, { system, events });
  const { fetch: fetchStore, close } = openStoreFetch(options, tracing);
  opened.defer(close);
  const store = { storage, pins, fetchStore, tracing };
  const storeSide = openStoreSide(options, events, store);
  const { library, reader, installer, revocations, localConnectors } = storeSide;
  const connectorSettings = openConnectorSettings(storage.library, events);
  const recipients = openFileRecipients(storage.library, system);
  const apps = openAppSide(options, events, library, {
    ...loopbacks,
    recipients,
    connectorSettings,
    pins,
    fetchStore,
    tracing,
    storage,
    headers: openHeaderStore(openClientSecrets({ ...options, events, place: storage.vault })),
  });
  opened.adopt(apps.prepare);
  opened.adopt(apps.accounts);
  opened.defer(() => apps.calls.stop());
  const { panels, previews, listener } = await openPanelSide(options, events, library, apps);
  panelsAt.push(listener.address);
  opened.adopt(listener);
  opened.defer(() => panels.end());
  const folders = opened.adopt(openFolders(options, events, storeSide));
  opened.defer(() => revocations.stop());
  const { accounts, calls, storage: files } = apps;
  const usable = usableIn(library);
  opened.defer(offerRequired({ events, library, accounts, ask, onFault: options.onFault }));

  const updates = openUpdates(options, {
    library,
    reader,
    installer,
    revocations,
    events,
    accounts,
    calls,
    panels,
    managed: storeSide.managed,
  });
  opened.defer(() => updates?.stop());
  const addConnector = addConnectorOf(options, library, apps);
  const managed = openManaged(options, storeSide, { accounts, events, addConnector });
  opened.defer(() => managed?.stop());

  const core: Pick<Runtime, 'allToolsNow' | 'call'> = {
    allToolsNow: ({ project }) => library.usable(requireProject(project)).map((app) => calls.toolsNow(app)),
    call: async (appId, request) => {
      try {
        await storage.refresh();
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
    update: (signal) => checkUpdates({ library, reader, installer, revocations, decide: { ask } }, signal),
    updates,
    managed: managed?.managed ?? null,
    mirrors: storeSide.mirrors,
    tools: async (appId, { project, ...given }) => {
      await storage.refresh();
      return calls.tools(usable(appId, { project }), given);
    },
    toolsNow: (appId, where) => calls.toolsNow(usable(appId, where)),
    toolChanges: {
      list: (appId) =>
        library
          .list()
          .flatMap((app) => (appId === undefined || app.appId === appId ? (pins.waiting(app) ?? []) : [])),
      accept: (appId, binding) => pins.accept(installedApp(library, appId), binding),
      reject: (appId, binding) => pins.reject(installedApp(library, appId), binding),
    },
    filePermissions: { list: () => recipients.list(), revoke: (appId, id) => recipients.revoke(appId, id) },
    serverFault: calls.serverFault,
    openPanel: async (appId, panelId, request) => panels.open(usable(appId, request), panelId, request),
    openPage: async (appId, request) => panels.openPage(usable(appId, request), request),
    prepareMedia: apps.prepare,
    previews,
    panelSource: listener.source,
    save: async (appId, request, signal) => save(options, library, [appId, request], signal),
    addConnector,
    connectors: connectorsById(connectorSettings, library),
    addLocalConnector: localConnectorsOf({ ...options, localConnectors }, library, apps, () => panelsAt),
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
    requireNetwork(options.network);
    const tracing = await openTracing(manifest.version);
    const complete = withDefaults(options);
    const connecting = { trace: tracing.headers, ...complete.connecting };
    const parts = await openParts({ options: { ...complete, connecting }, tracing }, opened);
    return { ...parts, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
